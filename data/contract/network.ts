import { z } from 'zod';
import type { Call } from './call.ts';

export const networkHealth = {
  method: 'GET',
  path: '/api/network/health',
  summary: 'Health of the Solana endpoints that the indexer reads',
  response: z.object({
    status: z.enum(['healthy', 'degraded', 'offline']),
    activeEndpoints: z.int().nonnegative(),
    totalEndpoints: z.int().nonnegative(),
    lastUpdate: z.iso.datetime().nullable().describe('When the indexer last reported; null if it never did.'),
    errorCount: z.int().nonnegative().describe('Failed requests to the endpoints in the last five minutes.'),
    slot: z.int().nonnegative().nullable().describe('The newest slot indexed.'),
    endpoints: z.array(
      z.object({
        name: z.string().describe('Host of the endpoint, without path or key.'),
        active: z
          .boolean()
          .describe('Whether it answers; false for all once the indexer was silent for a minute.'),
        latencyMs: z.number().nonnegative().nullable(),
        slot: z.int().nonnegative().nullable(),
        errorCount: z.int().nonnegative(),
        lastError: z.string().nullable(),
      }),
    ),
  }),
  errors: {},
  live: true,
} as const satisfies Call;
