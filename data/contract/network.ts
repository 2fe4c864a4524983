import { z } from 'zod';
import { minutesWithUnit } from '../model/facts/amount-text.ts';
import { ENDPOINT_STATES, REPORT_FRESHNESS, REQUEST_WINDOW_MS } from '../model/value-state.ts';
import type { Call, ResponseOf } from './call.ts';
import * as PATHS from './paths.ts';
import { CHAINS, count, moment, slot } from './provenance.ts';

const reportLimit = minutesWithUnit(REPORT_FRESHNESS.limitMs);

/** The clusters that the public explorer supports, by the explorer's names for them. */
const PUBLIC_CLUSTERS = ['mainnet-beta', 'devnet', 'testnet'] as const;
export type PublicCluster = (typeof PUBLIC_CLUSTERS)[number];

export const networkHealth = {
  method: 'GET',
  path: PATHS.networkHealth,
  summary: 'Health of the Solana endpoints that the indexer reads',
  response: z.object({
    chain: z.enum(CHAINS).describe('The chain: Solana, or the embedded ledger, which is a demonstration.'),
    cluster: z
      .enum(PUBLIC_CLUSTERS)
      .nullable()
      .describe(
        'The name of the public cluster, recognized by its genesis hash; null if the cluster is not public or not known yet.',
      ),
    status: z
      .enum(['healthy', 'degraded', 'offline'])
      .describe(
        `degraded: an endpoint does not answer or is far behind; the vault, the stake entries or new events cannot be read; the indexer's last report or newest slot is getting old; or the host's clock is off. offline: no endpoint answers, or the indexer was silent for ${reportLimit}.`,
      ),
    activeEndpoints: count,
    totalEndpoints: count,
    lastUpdate: moment.nullable().describe('When the indexer last reported; null if it never did.'),
    errorCount: count.describe(
      `Failed requests to the endpoints in the last ${minutesWithUnit(REQUEST_WINDOW_MS)}.`,
    ),
    slot: slot.nullable().describe('The newest slot indexed.'),
    clockDifferenceSeconds: z
      .int()
      .nullable()
      .describe(
        "This host's time minus the newest slot's: negative if the host's clock is behind, positive if it is ahead or the endpoints are behind; null if unknown.",
      ),
    vaultProblem: z
      .string()
      .nullable()
      .describe('Why the vault cannot be read and has no figures; null if it can be read.'),
    stakesProblem: z
      .string()
      .nullable()
      .describe('Why the stake entries cannot be read and have no figures; null if they can be read.'),
    unreadStakeEntries: count.describe(
      'Accounts of the stake pool that cannot be read as stake entries. Figures leave them out.',
    ),
    endpoints: z.array(
      z.object({
        name: z.string().describe('Host of the endpoint, without path or key.'),
        active: z
          .boolean()
          .describe(
            `Whether the endpoint answers; false for all endpoints when the indexer has not reported for ${reportLimit}.`,
          ),
        state: z
          .enum(ENDPOINT_STATES)
          .nullable()
          .describe(
            `active: in use. backoff: it failed and pauses briefly. distrusted: its responses are ignored, for the reason in lastError. Null when the indexer has not reported for ${reportLimit}.`,
          ),
        latencyMs: z
          .number()
          .nonnegative()
          .nullable()
          .describe(`Null if it was not measured, or the indexer has not reported for ${reportLimit}.`),
        slot: slot.nullable().describe('The newest slot of the endpoint.'),
        slotLag: count
          .nullable()
          .describe(
            'Slots behind the most advanced endpoint; null if its slot is unknown or no endpoint answers.',
          ),
        requestCount: count.describe(`Requests in the last ${minutesWithUnit(REQUEST_WINDOW_MS)}.`),
        errorCount: count.describe('How many of these requests failed.'),
        lastError: z.string().nullable(),
      }),
    ),
  }),
  live: true,
} as const satisfies Call;
export type NetworkHealth = ResponseOf<typeof networkHealth>;
