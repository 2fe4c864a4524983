import { z } from 'zod';
import type { Call } from './call.ts';
import { CHAINS } from './provenance.ts';

/** Clusters that the public explorer shows, by its names for them. */
export const PUBLIC_CLUSTERS = ['mainnet-beta', 'devnet', 'testnet'] as const;
export type PublicCluster = (typeof PUBLIC_CLUSTERS)[number];

export const networkHealth = {
  method: 'GET',
  path: '/api/network/health',
  summary: 'Health of the Solana endpoints that the indexer reads',
  response: z.object({
    chain: z
      .enum(CHAINS)
      .describe('What is read: Solana, or the embedded ledger, which is a demonstration and not Solana.'),
    cluster: z
      .enum(PUBLIC_CLUSTERS)
      .nullable()
      .describe('The public cluster read, by its genesis hash; null where it is none or not known yet.'),
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
