import { z } from 'zod';

/** Chains that the portal can read: Solana, or the ledger that it brings along for trying it out. */
export const CHAINS = ['solana', 'embedded-ledger'] as const;
export type ChainName = (typeof CHAINS)[number];

/** Where a figure comes from and how old it is. Every live response carries these beside the fields it is asked for. */
export const provenance = {
  asOf: z.iso.datetime().describe('When the source was last read (ISO 8601, UTC).'),
  slot: z
    .int()
    .nonnegative()
    .nullable()
    .describe('The Solana slot the figure holds at; null for market figures.'),
  source: z
    .string()
    .describe(
      'What was read: `solana` or `embedded-ledger` for the chain (the latter is a demonstration, not Solana), else the ' +
        'name of the market feed (`demo` is not a market).',
    ),
  state: z
    .enum(['live', 'ageing', 'stale'])
    .describe('live: young; ageing: older than two intervals; stale: older than its limit.'),
};

/** Response headers in which a live call tells of a list what others tell in their bodies. */
export const FIGURE_HEADERS = {
  state: 'X-Figure-State',
  asOf: 'X-Figure-As-Of',
  slot: 'X-Figure-Slot',
} as const;

/** Decimal text without grouping, exact to the base unit: `"99998436.01"`. */
export const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

/** How a Solana address is written: 32 bytes in base58. */
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** A Solana address in base58. */
export const address = z.string().regex(ADDRESS);

/** A transaction signature in base58. */
export const signature = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);

/** Why a figure answers 503. */
export const notYet = {
  503: 'The figure has not been read from its source yet; ask again in a few seconds.',
};
