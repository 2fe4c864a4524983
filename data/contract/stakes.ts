import { z } from 'zod';
import { CHAIN_ALARM_KINDS } from '../model/chain-events.ts';
import { CARD_TIERS, STAKER_BADGES } from '../model/tiers.ts';
import type { Call } from './call.ts';
import { address, decimalText, notYet, provenance, signature } from './provenance.ts';

/** Ended stakes that a list tells: the newest. */
export const ENDED_STAKES_TOLD = 100;

const moment = z.iso.datetime();

const activeStaker = z.object({
  amount: decimalText.describe('BD in the open stake entries of the wallet together.'),
  wallet: address,
  signature: signature
    .nullable()
    .describe('The transaction that opened its newest stake; null while the history does not reach it.'),
  startDate: moment.describe('When its lock began: staking again restarts it, so this is its newest stake.'),
  unlockDate: moment.describe('When the last of its open stakes unlocks.'),
});

const endedStake = z.object({
  wallet: address.nullable().describe('Null where the transaction names none.'),
  amount: decimalText.describe('BD returned.'),
  startDate: moment.nullable().describe('Null where the transaction that opened it is not indexed.'),
  endDate: moment.nullable().describe('Null where the cluster does not know the time.'),
  openedBy: signature.nullable(),
  endedBy: signature,
});

export const stakingTransfers = {
  method: 'GET',
  path: '/api/staking/transfers',
  summary: 'Wallets staking, with their locks, and the stakes that ended last',
  response: z.object({
    totalStakers: z.int().nonnegative().describe('Wallets with at least one open stake entry.'),
    totalStaked: decimalText.describe('BD in all open stake entries.'),
    stakers: z
      .array(activeStaker)
      .describe('One row a wallet, however many entries it holds; newest lock first.'),
    ended: z.array(endedStake).describe(`Stakes that ended, newest first (${ENDED_STAKES_TOLD} at most).`),
    ...provenance,
  }),
  errors: notYet,
  live: 'announced',
} as const satisfies Call;

const enhancedStaker = z.object({
  walletAddress: address,
  stakedAmount: decimalText.describe('BD in the open stake entries of the wallet together.'),
  tier: z
    .enum(STAKER_BADGES)
    .nullable()
    .describe('Badge: Silver from 1.5M, Gold from 5M, Platinum from 7.5M, Diamond from 10M BD; null below.'),
  cardTier: z.enum(CARD_TIERS).nullable().describe('The card tier that the stake earns; null below 1.5M BD.'),
  isAuthenticated: z.boolean().describe('Whether the wallet has proved its ownership to the portal.'),
  stakingDuration: z.int().nonnegative().describe('Whole days since the lock began.'),
  transactionCount: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Stakes and unstakes of the wallet; null while the history is being read.'),
  startDate: moment.describe('When its lock began: staking again restarts it.'),
  unlockDate: moment.describe('When the last of its open stakes unlocks.'),
  entries: z.int().positive().describe('Open stake entries of the wallet.'),
});

export const enhancedStakers = {
  method: 'GET',
  path: '/api/stakers/enhanced',
  summary: 'Wallets staking, one row each, largest stake first',
  response: z.array(enhancedStaker),
  errors: notYet,
  live: 'announced',
} as const satisfies Call;

const wholeNumberText = z.string().regex(/^-?\d+$/);

const programAlarm = z.object({
  kind: z.enum(CHAIN_ALARM_KINDS),
  account: z.enum(['vault', 'stake-pool']).describe('The watched account.'),
  signature,
  slot: z.int().nonnegative(),
  blockTime: z.int().nullable().describe('Unix seconds; null where the cluster does not know.'),
  address: address
    .nullable()
    .describe('The address that was set; null where the authority was removed or the account closed.'),
});

export const programSummary = {
  method: 'GET',
  path: '/api/staking/program-summary',
  summary: 'The staking program, and whether its accounts agree with the indexed history',
  response: z.object({
    isActive: z
      .boolean()
      .nullable()
      .describe('Whether the pool holds an open stake entry; null while the last reading of it is stale.'),
    programAddress: address.describe('The staking program.'),
    stakePool: address,
    tokenAddress: address.describe('The mint of BD: its token contract.'),
    totalAccounts: z.int().nonnegative().describe('Open stake entries.'),
    totalValue: decimalText.describe('BD in all open stake entries.'),
    lastVerified: moment
      .nullable()
      .describe('When accounts and history last agreed; null if they never did.'),
    verification: z
      .object({
        state: z
          .enum(['agree', 'differs', 'overdue', 'not-yet'])
          .describe(
            'The latest comparison of the accounts with the sum of the events. overdue: they agreed then, and were not compared for a quarter of an hour since.',
          ),
        slot: z
          .int()
          .nonnegative()
          .nullable()
          .describe('The slot of that comparison; null before the first.'),
        at: moment.nullable(),
        differences: z.array(
          z.object({
            what: z.string().describe('What was compared, as `vault.balance`.'),
            onChain: wholeNumberText.describe('Base units or a count: what the accounts say.'),
            indexed: wholeNumberText.describe('Base units or a count: what the history adds up to.'),
          }),
        ),
      })
      .describe('A difference is shown as it is; nothing is corrected silently.'),
    quarantined: z
      .int()
      .nonnegative()
      .describe('Transactions that no endpoint could tell so far: sums over them count as unknown.'),
    alarms: z
      .array(programAlarm)
      .describe('What was done to a watched account beside moving its balance, newest first (100 at most).'),
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;
