import { z } from 'zod';
import { CHAIN_ALARM_KINDS } from '../model/chain-events.ts';
import { millionBdText, minutesWithUnit } from '../model/facts/amount-text.ts';
import { TOP_STAKER_COUNT, UNLOCK_WEEK_COUNT } from '../model/stake-distribution.ts';
import { BADGE_TERMS, CARD_TIERS, STAKER_BADGES } from '../model/tiers.ts';
import { RECONCILIATION_FRESHNESS } from '../model/value-state.ts';
import type { Call, ResponseOf } from './call.ts';
import * as PATHS from './paths.ts';
import { address, blockTime, count, decimalText, moment, provenance, signature, slot } from './provenance.ts';

/** The maximum number of ended stakes that are listed, newest first. */
export const MAX_ENDED_STAKES = 100;

export const activeStaker = z.object({
  amount: decimalText.describe('BD in the open stake entries of the wallet.'),
  wallet: address,
  signature: signature
    .nullable()
    .describe('The transaction that opened the wallet’s newest stake; null if it is not indexed.'),
  startDate: moment.describe('When the lock of the newest stake began: staking again restarts the lock.'),
  unlockDate: moment.describe('When the last of the wallet’s open stakes unlocks.'),
});

export const endedStake = z.object({
  wallet: address.nullable().describe('Null if the transaction names no wallet.'),
  amount: decimalText.describe('BD returned.'),
  startDate: moment
    .nullable()
    .describe('When the stake was opened; null if that transaction is not indexed.'),
  endDate: moment.nullable().describe('When the stake ended; null if the cluster reports no time.'),
  openedBy: signature
    .nullable()
    .describe('The transaction that opened the stake; null if it is not indexed.'),
  endedBy: signature.describe('The transaction that ended the stake.'),
});

export const stakingTransfers = {
  method: 'GET',
  path: PATHS.stakingTransfers,
  summary: 'Stakers with their locks, and the most recently ended stakes',
  response: z.object({
    totalStakers: count.describe('Wallets with at least one open stake entry.'),
    totalStaked: decimalText.describe('BD in all open stake entries.'),
    stakers: z.array(activeStaker).describe('One row per wallet, newest lock first.'),
    ended: z.array(endedStake).describe(`Stakes that ended, newest first (${MAX_ENDED_STAKES} at most).`),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: 'announced',
} as const satisfies Call;
export type StakingTransfers = ResponseOf<typeof stakingTransfers>;

export const enhancedStaker = z.object({
  walletAddress: address,
  stakedAmount: decimalText.describe('BD in the open stake entries of the wallet.'),
  tier: z
    .enum(STAKER_BADGES)
    .nullable()
    .describe(
      `Badge: ${BADGE_TERMS.map(({ badge, minimumStakeBd }) => `${badge} from ${millionBdText(minimumStakeBd)}`).join(', ')}; null below.`,
    ),
  cardTier: z
    .enum(CARD_TIERS)
    .nullable()
    .describe('The card tier that the stake earns; null below the lowest.'),
  isAuthenticated: z
    .boolean()
    .describe('Whether the owner has proved ownership of the wallet, or the team has whitelisted it.'),
  stakingDuration: count.describe('Whole days since the lock began.'),
  transactionCount: count
    .nullable()
    .describe('Stakes and unstakes of the wallet; null while the history is being read.'),
  startDate: moment.describe('When the lock began: staking again restarts it.'),
  unlockDate: moment.describe('When the last of the wallet’s open stakes unlocks.'),
  entries: z.int().positive().describe('Open stake entries of the wallet.'),
});

export const enhancedStakers = {
  method: 'GET',
  path: PATHS.enhancedStakers,
  summary: 'Stakers, one row each, largest stake first',
  response: z.array(enhancedStaker),
  errors: ['not-indexed-yet'],
  live: 'announced',
} as const satisfies Call;
export type EnhancedStakers = ResponseOf<typeof enhancedStakers>;

const percentText = z
  .string()
  .regex(/^\d+\.\d\d$/)
  .meta({ examples: ['12.34'] })
  .nullable();

const day = z.iso.date().meta({ examples: ['2026-01-05'] });

export const stakeDistribution = {
  method: 'GET',
  path: PATHS.stakeDistribution,
  summary: 'When the staked BD unlocks, and how it is distributed among stakers',
  response: z.object({
    totalStaked: decimalText.describe(
      'BD in all open stake entries: the sum of unlocked, weeks and later, and of the tiers.',
    ),
    totalStakers: count.describe('Wallets with at least one open stake entry.'),
    unlocked: decimalText.describe('BD that can be withdrawn already.'),
    weeks: z
      .array(
        z.object({
          from: day.describe('The Monday on which the week begins (UTC).'),
          to: day.describe('Its Sunday.'),
          amount: decimalText.describe('BD that unlocks in the week and is not unlocked yet.'),
          stakes: count.describe('Stake entries that unlock in the week.'),
        }),
      )
      .describe(`The current week and the ${UNLOCK_WEEK_COUNT - 1} that follow.`),
    later: decimalText.describe('BD that unlocks after these weeks.'),
    top: z
      .array(
        z.object({
          wallet: address,
          amount: decimalText,
          percent: percentText.describe('Percentage of all staked BD.'),
        }),
      )
      .describe(`The largest stakers (${TOP_STAKER_COUNT} at most), largest first.`),
    topPercent: percentText.describe('These stakers’ share of all staked BD; null without stakes.'),
    gini: decimalText
      .nullable()
      .describe(
        'The Gini coefficient of the stakes of all stakers: 0 if all stake the same, close to 1 if one stakes almost everything; null without stakes.',
      ),
    tiers: z
      .array(
        z.object({
          tier: z.enum(CARD_TIERS).nullable().describe('Null for stakes below the lowest card tier.'),
          stakers: count,
          amount: decimalText,
          percent: percentText.describe('Percentage of all staked BD.'),
        }),
      )
      .describe('Stakers by card tier, lowest first.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: 'announced',
} as const satisfies Call;
export type StakeDistribution = ResponseOf<typeof stakeDistribution>;

const wholeNumberText = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ examples: ['20887580310000'] });

export const programAlarm = z.object({
  kind: z.enum(CHAIN_ALARM_KINDS),
  account: z.enum(['vault', 'stake-pool']).describe('The watched account.'),
  signature,
  slot,
  blockTime,
  address: address
    .nullable()
    .describe('The address that was set; null if the authority was removed or the account closed.'),
});

export const programSummary = {
  method: 'GET',
  path: PATHS.programSummary,
  summary: 'The staking program, and whether its accounts agree with the indexed history',
  response: z.object({
    isActive: z
      .boolean()
      .nullable()
      .describe('Whether the pool has an open stake entry; null while its data is stale.'),
    programAddress: address.describe('The staking program.'),
    stakePool: address,
    tokenAddress: address.describe('The mint of BD: its token contract.'),
    totalAccounts: count.describe('Open stake entries.'),
    totalValue: decimalText.describe('BD in all open stake entries.'),
    lastVerified: moment
      .nullable()
      .describe('When accounts and history last agreed; null if they never did.'),
    verification: z
      .object({
        state: z
          .enum(['agree', 'differs', 'overdue', 'not-yet'])
          .describe(
            `The latest comparison of the accounts with the sum of the events. overdue: they agreed, but more than ${minutesWithUnit(RECONCILIATION_FRESHNESS.limitMs)} ago.`,
          ),
        slot: slot.nullable().describe('The slot of that comparison; null before the first.'),
        at: moment.nullable(),
        differences: z.array(
          z.object({
            what: z.string().describe('What was compared, such as `vault.balance`.'),
            onChain: wholeNumberText.describe('Base units or a count, from the accounts.'),
            indexed: wholeNumberText.describe('Base units or a count, from the indexed history.'),
          }),
        ),
      })
      .describe('Differences are shown, never corrected silently.'),
    quarantined: count.describe(
      'Transactions that no endpoint could return. Sums that would include them are unknown.',
    ),
    alarms: z.array(programAlarm).describe('Alarms of the watched accounts, newest first (100 at most).'),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type ProgramSummary = ResponseOf<typeof programSummary>;
