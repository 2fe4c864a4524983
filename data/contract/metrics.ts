import { z } from 'zod';
import { EVENT_KINDS, EVENT_STATUSES } from '../model/chain-events.ts';
import type { Call } from './call.ts';
import { address, decimalText, notYet, provenance, signature } from './provenance.ts';

export const vaultLiveBalance = {
  method: 'GET',
  path: '/api/vault/live-balance',
  summary: 'BD held by the vault',
  response: z.object({
    vaultBalance: decimalText.describe('BD in the vault token account.'),
    balance: decimalText.describe('The same figure, under the name older screens read.'),
    solBalance: decimalText.describe('SOL in the vault token account.'),
    vaultAddress: address,
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

export const vaultMetrics = {
  method: 'GET',
  path: '/api/vault/metrics',
  summary: 'Growth and movements of the vault',
  response: z.object({
    vaultBalance: decimalText,
    growth: z
      .array(
        z.object({
          hours: z.int().positive(),
          percent: decimalText
            .nullable()
            .describe('Growth over the window in percent; null while history does not cover it.'),
        }),
      )
      .describe('6, 12, 18 and 24 hours.'),
    deposits24h: decimalText
      .nullable()
      .describe('BD deposited in the last 24 hours; null while those hours are not wholly indexed.'),
    withdrawals24h: decimalText
      .nullable()
      .describe('BD withdrawn in the last 24 hours; null while those hours are not wholly indexed.'),
    movements24h: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'Deposits and withdrawals in the last 24 hours; null while those hours are not wholly indexed.',
      ),
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

export const stakingTotal = {
  method: 'GET',
  path: '/api/staking/total',
  summary: 'BD staked in the pool and wallets staking',
  response: z.object({
    balance: decimalText.describe('BD staked.'),
    stakerCount: z.int().nonnegative().describe('Wallets with at least one open stake entry.'),
    stakePool: address,
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

export const realStaking = {
  method: 'GET',
  path: '/api/analytics/real-staking',
  summary: 'Staking totals for the analytics screens',
  response: z.object({
    totalStakers: z.int().nonnegative(),
    totalStaked: decimalText,
    walletsHolding: z
      .int()
      .nonnegative()
      .nullable()
      .describe(
        'Wallets that hold BD in a token account or through an open stake; those of the vault and the stake pool are not ' +
          'among them. Null while they have not been counted.',
      ),
    stakingParticipation: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'Wallets staking ÷ wallets holding BD, in percent with two decimals. Null while the wallets have not been ' +
          'counted, and where more wallets stake than held BD at the last count.',
      ),
    holdersCounted: z
      .object({ asOf: provenance.asOf, slot: z.int().nonnegative(), state: provenance.state })
      .nullable()
      .describe(
        'When, and at which slot, the wallets holding BD were counted; null while they have not been.',
      ),
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

export const analyticsOverview = {
  method: 'GET',
  path: '/api/analytics/overview',
  summary: 'Overview of BD put to work',
  response: z.object({
    totalStakers: z.int().nonnegative(),
    overview: z.object({
      totalDeployed: decimalText.describe('BD in the vault and in the stake pool together.'),
      reducedSupply: decimalText.describe('990M − staked − vault − 46.6M.'),
      stakingRatioPercent: decimalText.describe('Staked ÷ 990M, in percent.'),
    }),
    ...provenance,
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

const marketFields = {
  priceUsd: decimalText.describe('USD for one BD.'),
  priceChange24h: decimalText
    .nullable()
    .describe('Change over 24 hours in percent; null where the feed has none.'),
  volume24h: decimalText.nullable().describe('USD traded in 24 hours; null where the feed has none.'),
  marketCap: decimalText.describe('USD: price × 990,000,000.'),
  liquidity: decimalText.nullable().describe('USD of liquidity; null where the feed has none.'),
  ...provenance,
};

export const tradingMarketData = {
  method: 'GET',
  path: '/api/trading/market-data',
  summary: 'Price and market of BD',
  response: z.object(marketFields),
  errors: notYet,
  live: true,
} as const satisfies Call;

export const tokenMarketData = {
  method: 'GET',
  path: '/api/token/market-data',
  summary: 'Price and market of BD with its supply',
  response: z.object({
    ...marketFields,
    totalSupply: decimalText.describe('BD minted, read from the mint.'),
    marketSupply: decimalText.describe('990M BD.'),
  }),
  errors: notYet,
  live: true,
} as const satisfies Call;

/** A movement of a watched account, as lists tell it. */
export const transactionRow = z.object({
  type: z.enum(EVENT_KINDS),
  account: z
    .enum(['vault', 'stake-pool'])
    .describe('The watched account that moved; one transaction may move both, in two rows.'),
  amount: decimalText.describe('BD moved, unsigned; the type says the direction.'),
  signature,
  part: z
    .int()
    .nonnegative()
    .describe('Its number among the movements of this account by the same transaction, from 0.'),
  status: z.enum(EVENT_STATUSES),
  blockTime: z.int().nullable().describe('Unix seconds; null where the cluster does not know.'),
  wallet: address.nullable().describe('The counterparty; null where none can be named.'),
  slot: z.int().nonnegative(),
});
export type TransactionRow = z.infer<typeof transactionRow>;

export const transactions = {
  method: 'GET',
  path: '/api/transactions',
  summary: 'The newest movements of the vault and the stake pool, newest first (50 at most)',
  response: z.array(transactionRow),
  errors: {
    503: 'The history is still being read from the chain, oldest first: its newest movements are not known yet.',
  },
  live: true,
} as const satisfies Call;
