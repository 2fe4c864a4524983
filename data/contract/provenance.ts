import { z } from 'zod';
import { ADDRESS } from '../model/form-text.ts';

/** Chains that the portal can read: Solana or the embedded ledger. */
export const CHAINS = ['solana', 'embedded-ledger'] as const;
export type ChainName = (typeof CHAINS)[number];

/** The source and age of a figure. Every live response contains these fields. */
export const provenance = {
  asOf: z.iso.datetime().describe('When the source was last read (ISO 8601, UTC).'),
  slot: z.int().nonnegative().nullable().describe('The slot of the figure; null for market figures.'),
  source: z
    .string()
    .describe(
      'The source: `solana` or `embedded-ledger` (a demonstration) for the chain, or the ' +
        'name of the market feed (`demo` is not a market).',
    ),
  state: z
    .enum(['live', 'ageing', 'stale'])
    .describe('live: recent; ageing: older than two intervals; stale: older than its limit.'),
};

/** Decimal text without grouping, exact to the base unit: `"99998436.01"`. */
export const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

export { ADDRESS };

/** A Solana address in base58. */
export const address = z.string().regex(ADDRESS);

/** A transaction signature in base58. */
export const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
