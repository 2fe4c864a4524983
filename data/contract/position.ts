import { z } from 'zod';
import { FACTS } from '../model/facts/facts.ts';
import { CARD_TIERS, STAKER_BADGES } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { transactionRow } from './metrics.ts';
import * as PATHS from './paths.ts';
import { address, decimalText, moment, provenance, signature } from './provenance.ts';
import { verifyBdTokens } from './verification.ts';

export const TRANSACTIONS_PER_PAGE = 50;
const MAX_TRANSACTIONS_PER_PAGE = 500;

const LIMIT_ERROR = `Set limit to a whole number from 1 to ${MAX_TRANSACTIONS_PER_PAGE}, or leave it out.`;
const BEFORE_ERROR =
  'Set `before` to the value of next in the previous page, or leave it out for the newest transactions.';

export const pageQuery = {
  limit: z
    .string({ error: LIMIT_ERROR })
    .regex(/^[1-9]\d{0,2}$/, LIMIT_ERROR)
    .refine((text) => Number(text) <= MAX_TRANSACTIONS_PER_PAGE, LIMIT_ERROR)
    .optional()
    .describe(
      `Transactions per page: ${TRANSACTIONS_PER_PAGE} by default, ${MAX_TRANSACTIONS_PER_PAGE} at most.`,
    ),
  before: z
    .string({ error: BEFORE_ERROR })
    .regex(/^\d{1,15}(\.\d{1,15}){2}$/, BEFORE_ERROR)
    .optional()
    .describe('The `next` of the previous page. Absent for the newest transactions.'),
};

export const openStake = z.object({
  entry: address.describe('The stake entry.'),
  amount: decimalText.describe('Staked BD.'),
  startDate: moment.describe('When the stake was opened.'),
  unlockDate: moment,
  openedBy: signature
    .nullable()
    .describe('The transaction that opened the stake; null if it is not indexed.'),
});

export const walletPosition = {
  method: 'GET',
  path: PATHS.walletPosition,
  summary: 'The stakes of a wallet, their locks, its tier and its transactions',
  query: z.object({
    walletAddress: verifyBdTokens.query.shape.walletAddress,
    ...pageQuery,
  }),
  response: z.object({
    walletAddress: address,
    isStaking: z.boolean().describe('Whether the wallet has an open stake entry.'),
    staked: decimalText.describe('BD in the open stake entries of the wallet.'),
    lock: z
      .object({
        startDate: moment.describe('When the lock began: staking again restarts it.'),
        unlockDate: moment.describe('When the last of the wallet’s open stakes unlocks.'),
      })
      .nullable()
      .describe('Null without a stake.'),
    stakes: z.array(openStake).describe('The open stakes of the wallet, newest first.'),
    tier: z.enum([...CARD_TIERS, 'None']).describe('The card tier that the stake earns.'),
    badge: z
      .enum(STAKER_BADGES)
      .nullable()
      .describe('The badge in the list of stakers; null below the lowest.'),
    nextTier: z
      .object({
        tier: z.enum(CARD_TIERS),
        minimumStake: decimalText.describe('BD that the tier requires.'),
        missing: decimalText.describe('BD to stake to reach the tier.'),
      })
      .nullable()
      .describe('The next higher card tier; null at the highest.'),
    statedReward: decimalText.describe(
      `BD that the stake would earn in one lock if the stated yield were paid in full: staked × ${FACTS.statedYield} × ${FACTS.lockDays} ÷ 365, rounded down. It is not a promise.`,
    ),
    transactions: z
      .object({
        rows: z
          .array(transactionRow)
          .describe('Stakes, unstakes, deposits and withdrawals of the wallet, newest first.'),
        next: z
          .string()
          .nullable()
          .describe('Pass it as `before` to get the next page; null on the last one.'),
        isComplete: z
          .boolean()
          .describe(
            'False while an unreadable or missing transaction of the watched accounts may belong to this wallet, or if the chain was not read recently.',
          ),
      })
      .nullable()
      .describe('Null while the history is being read from the chain.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet', 'index-unreadable'],
} as const satisfies Call;
export type WalletPosition = z.infer<(typeof walletPosition)['response']>;
