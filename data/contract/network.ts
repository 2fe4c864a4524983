import { z } from 'zod';
import type { Call } from './call.ts';
import { CHAINS } from './provenance.ts';

/** How the indexer treats an endpoint. */
export const ENDPOINT_STATES = ['active', 'resting', 'put-aside'] as const;

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
    status: z
      .enum(['healthy', 'degraded', 'offline'])
      .describe(
        'degraded: an endpoint does not answer, the indexer is silent, or no newer slot was read for ten seconds. offline: no endpoint answers, or the indexer was silent for a minute.',
      ),
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
        state: z
          .enum(ENDPOINT_STATES)
          .nullable()
          .describe(
            'active: it is asked. resting: it failed and is left alone for a moment. put-aside: it is not believed, for the reason in lastError. Null once the indexer was silent for a minute.',
          ),
        latencyMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe('Null where it was not measured, or the indexer was silent for a minute.'),
        slot: z.int().nonnegative().nullable().describe('The newest slot that it told.'),
        slotLag: z
          .int()
          .nonnegative()
          .nullable()
          .describe(
            'Slots behind the endpoint that is furthest; null where its slot is not known, and where no endpoint answers.',
          ),
        requestCount: z.int().nonnegative().describe('Requests in the last five minutes.'),
        errorCount: z.int().nonnegative().describe('Those of them that failed.'),
        lastError: z.string().nullable(),
      }),
    ),
  }),
  errors: {},
  live: true,
} as const satisfies Call;
