import { z } from 'zod';
import { SOLANA_ADDRESS_PATTERN } from '../model/form-text.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';

export const CHAINS = ['solana', 'embedded-ledger'] as const;
export type ChainName = (typeof CHAINS)[number];

export const moment = z.iso.datetime().meta({ examples: ['2026-01-02T03:04:05.000Z'] });

export const count = z
  .int()
  .nonnegative()
  .meta({ examples: [128] });

export const slot = z
  .int()
  .nonnegative()
  .meta({ examples: [312345678] });

/**
 * The source and age of a figure. Most responses have these fields. For lists and the event feed, the time, slot and state are in
 * headers instead (`FIGURE_HEADERS`).
 */
export const provenance = {
  asOf: moment.describe('When the source was last read (ISO 8601, UTC).'),
  slot: slot.nullable().describe('The slot of the figure; null for market figures.'),
  source: z.string().meta({
    description:
      'The source: `solana` or `embedded-ledger` (a demonstration) for the chain, or the ' +
      'name of the market feed (prices from `demo` are made up).',
    examples: ['solana'],
  }),
  state: z
    .enum(['live', 'ageing', 'stale'])
    .describe('live: recent; ageing: older than two intervals; stale: older than its limit.'),
};

export const blockTime = z
  .int()
  .meta({ examples: [1767323045] })
  .nullable()
  .describe('Unix seconds; null if the cluster reports no time.');

/** Decimal text without grouping, exact to the base unit: `"99998436.01"`. */
export const decimalText = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ examples: ['99998436.01'] });

export const address = z
  .string()
  .regex(SOLANA_ADDRESS_PATTERN)
  .meta({ examples: ['So11111111111111111111111111111111111111112'] });

/** A transaction signature in base58. */
export const signature = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/)
  .meta({
    examples: ['5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'],
  });

const WALLET_ERROR = 'Set walletAddress to the Solana address of the wallet, in base58.';

export const walletAddress = z.string({ error: WALLET_ERROR }).regex(SOLANA_ADDRESS_PATTERN, WALLET_ERROR);

export const referenceNumber = z
  .string()
  .regex(REFERENCE_NUMBER_PATTERN)
  .meta({
    description: 'BD-YYYYMMDD-NNNNNN.',
    examples: ['BD-20260102-123456'],
  });
