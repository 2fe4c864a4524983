import { z } from 'zod';
import { CARD_TIERS, STAKER_BADGES } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { transactionRow } from './metrics.ts';
import { ADDRESS, address, decimalText, provenance, signature } from './provenance.ts';

const NEEDED = 'Give the wallet once, as walletAddress= and its Solana address in base58.';

/** Transactions of a page where the query names no number, and the most that it may name. */
export const TRANSACTIONS_A_PAGE = 50;
export const TRANSACTIONS_A_PAGE_AT_MOST = 500;

const LIMIT = `Set limit to a whole number from 1 to ${TRANSACTIONS_A_PAGE_AT_MOST}, or leave it out.`;
const BEFORE = 'Set before to the next of the page before, or leave it out for the newest.';

const moment = z.iso.datetime();

const openStake = z.object({
  entry: address.describe('The stake entry.'),
  amount: decimalText.describe('BD staked.'),
  startDate: moment.describe('When the stake was opened.'),
  unlockDate: moment,
  openedBy: signature
    .nullable()
    .describe('The transaction that opened it; null while the history does not reach it.'),
});

export const walletPosition = {
  method: 'GET',
  path: '/api/wallet/position',
  summary: 'What one wallet has staked, until when, the tier that it earns, and its transactions',
  query: z.object({
    walletAddress: z
      .string({ error: NEEDED })
      .regex(ADDRESS, NEEDED)
      .describe('The wallet, as a Solana address in base58.'),
    limit: z
      .string({ error: LIMIT })
      .regex(/^[1-9]\d{0,2}$/, LIMIT)
      .refine((text) => Number(text) <= TRANSACTIONS_A_PAGE_AT_MOST, LIMIT)
      .optional()
      .describe(
        `Transactions of the page, ${TRANSACTIONS_A_PAGE} where absent, ${TRANSACTIONS_A_PAGE_AT_MOST} at most.`,
      ),
    before: z
      .string({ error: BEFORE })
      .regex(/^\d{1,15}(\.\d{1,15}){2}$/, BEFORE)
      .optional()
      .describe('Where the page begins: the `next` of the page before. Absent for the newest transactions.'),
  }),
  response: z.object({
    walletAddress: address,
    isStaking: z.boolean().describe('Whether the wallet holds an open stake entry.'),
    staked: decimalText.describe('BD in its open stake entries together.'),
    lock: z
      .object({
        startDate: moment.describe('When its lock began: staking again restarts it.'),
        unlockDate: moment.describe('When the last of its open stakes unlocks.'),
      })
      .nullable()
      .describe('Null where it stakes nothing.'),
    stakes: z.array(openStake).describe('Its open stakes, newest first.'),
    tier: z.enum([...CARD_TIERS, 'None']).describe('The card tier that the stake earns.'),
    badge: z.enum(STAKER_BADGES).nullable().describe('The badge of the staker list; null below 1.5M BD.'),
    nextTier: z
      .object({
        tier: z.enum(CARD_TIERS),
        minimumStake: decimalText.describe('BD that the tier asks for.'),
        missing: decimalText.describe('BD still to be staked for it.'),
      })
      .nullable()
      .describe('The next higher card tier; null at the highest.'),
    statedReward: decimalText.describe(
      'BD that one lock of the stake would earn if the stated yield were paid in full: staked × 88.7 % × 180 ÷ 365, rounded down. No promise.',
    ),
    transactions: z
      .object({
        rows: z
          .array(transactionRow)
          .describe('Newest first: stakes, unstakes, deposits and withdrawals of it.'),
        next: z
          .string()
          .nullable()
          .describe('To be given as `before` for the next older page; null where there is none.'),
        isComplete: z
          .boolean()
          .describe(
            'False while a transaction of the watched accounts could not be read: it may be of this wallet.',
          ),
      })
      .nullable()
      .describe('Null while the history is being read from the chain: its newest rows are not known then.'),
    ...provenance,
  }),
  errors: {
    400: 'No wallet address is given, or it is none; or limit or before is no value that is taken.',
    429: 'Too many calls from this address.',
    503: 'The stakes have not been read yet, or cannot be read: nothing is said of the wallet then, least of all 0.',
  },
  live: false,
} as const satisfies Call;
export type WalletPosition = z.infer<(typeof walletPosition)['response']>;
