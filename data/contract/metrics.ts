import { z } from 'zod';
import { EVENT_KINDS, EVENT_STATUSES } from '../model/chain-events.ts';
import { FACTS } from '../model/facts/facts.ts';
import type { Call, ResponseOf } from './call.ts';
import * as PATHS from './paths.ts';
import { address, blockTime, count, decimalText, provenance, signature, slot } from './provenance.ts';

export const vaultLiveBalance = {
  method: 'GET',
  path: PATHS.vaultLiveBalance,
  summary: 'BD held by the vault',
  response: z.object({
    vaultBalance: decimalText.describe('BD in the vault token account.'),
    balance: decimalText.describe('The same as vaultBalance.'),
    solBalance: decimalText.meta({ examples: ['0.00203928'] }).describe('SOL in the vault token account.'),
    vaultAddress: address,
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type VaultLiveBalance = ResponseOf<typeof vaultLiveBalance>;

export const vaultMetrics = {
  method: 'GET',
  path: PATHS.vaultMetrics,
  summary: 'Growth and movements of the vault',
  response: z.object({
    vaultBalance: decimalText,
    growth: z
      .array(
        z.object({
          hours: z
            .int()
            .positive()
            .meta({ examples: [24] }),
          percent: decimalText
            .meta({ examples: ['1.25'] })
            .nullable()
            .describe('Growth over these hours in percent; null if it is unknown or the balance was 0.'),
          hasHistory: z
            .boolean()
            .describe('False if all BD of the vault arrived within these hours; the growth is then null.'),
        }),
      )
      .describe('Over the last 6, the last 12, the last 18 and the last 24 hours.'),
    deposits24h: decimalText
      .nullable()
      .describe('BD deposited in the last 24 hours; null while they are not fully indexed.'),
    withdrawals24h: decimalText
      .nullable()
      .describe('BD withdrawn in the last 24 hours; null while they are not fully indexed.'),
    movements24h: count
      .nullable()
      .describe('Deposits and withdrawals in the last 24 hours; null while they are not fully indexed.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type VaultMetrics = ResponseOf<typeof vaultMetrics>;

export const stakingTotal = {
  method: 'GET',
  path: PATHS.stakingTotal,
  summary: 'Staked BD and number of stakers',
  response: z.object({
    balance: decimalText.describe('Staked BD.'),
    stakerCount: count.describe('Wallets with at least one open stake entry.'),
    stakePool: address,
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type StakingTotal = ResponseOf<typeof stakingTotal>;

export const realStaking = {
  method: 'GET',
  path: PATHS.realStaking,
  summary: 'Staking totals for the analytics screens',
  response: z.object({
    totalStakers: count,
    totalStaked: decimalText,
    walletsHolding: count
      .nullable()
      .describe(
        'Wallets that hold BD in a token account or through an open stake, except the vault and the stake pool. Null ' +
          'while they have not been counted.',
      ),
    stakingParticipation: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'Stakers ÷ wallets that hold BD, in percent with two decimals. Null while the wallets have not been counted, ' +
          'or if there are more stakers than holders at the last count.',
      ),
    holdersCounted: z
      .object({ asOf: provenance.asOf, slot, state: provenance.state })
      .nullable()
      .describe('When and at which slot the holders were counted; null if they have not been counted yet.'),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type RealStaking = ResponseOf<typeof realStaking>;

export const analyticsOverview = {
  method: 'GET',
  path: PATHS.analyticsOverview,
  summary: 'Total staked and deployed BD',
  response: z.object({
    totalStakers: count,
    overview: z.object({
      totalDeployed: decimalText.describe('BD in the vault and in the stake pool together.'),
      reducedSupply: decimalText.describe(
        `${FACTS.marketSupplyShort} − staked − vault − ${FACTS.streamflowAllocationShort}.`,
      ),
      stakingRatioPercent: decimalText
        .meta({ examples: ['10.1'] })
        .describe(`Staked ÷ ${FACTS.marketSupplyShort}, in percent.`),
    }),
    ...provenance,
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type AnalyticsOverview = ResponseOf<typeof analyticsOverview>;

const marketFields = {
  priceUsd: decimalText.meta({ examples: ['0.0001137'] }).describe('USD for one BD.'),
  priceChange24h: decimalText
    .meta({ examples: ['-1.25'] })
    .nullable()
    .describe('Change over the last 24 hours in percent; null if the feed has none.'),
  volume24h: decimalText
    .meta({ examples: ['15000.5'] })
    .nullable()
    .describe('USD traded in the last 24 hours; null if the feed has none.'),
  marketCap: decimalText.meta({ examples: ['112563'] }).describe(`USD: price × ${FACTS.marketSupply}.`),
  liquidity: decimalText
    .meta({ examples: ['48200.75'] })
    .nullable()
    .describe('USD of liquidity; null if the feed has none.'),
  ...provenance,
};

export const tradingMarketData = {
  method: 'GET',
  path: PATHS.tradingMarketData,
  summary: 'Price and market data of BD',
  response: z.object(marketFields),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;
export type TradingMarketData = ResponseOf<typeof tradingMarketData>;

export const tokenMarketData = {
  method: 'GET',
  path: PATHS.tokenMarketData,
  summary: 'Price, market data and supply of BD',
  response: z.object({
    ...marketFields,
    totalSupply: decimalText.describe('BD minted, read from the mint.'),
    marketSupply: decimalText.describe(`${FACTS.marketSupplyShort}.`),
  }),
  errors: ['not-indexed-yet'],
  live: true,
} as const satisfies Call;

/** A movement of BD into or out of a watched account, as a row of a list. */
export const transactionRow = z.object({
  type: z.enum(EVENT_KINDS),
  account: z
    .enum(['vault', 'stake-pool'])
    .describe(
      'The watched account. A transaction that changes both the vault and the stake pool has rows for each.',
    ),
  amount: decimalText.describe('BD moved, unsigned; the type gives the direction.'),
  signature,
  part: count
    .meta({ examples: [0] })
    .describe('Index of the movement among the account’s movements in the transaction, from 0.'),
  status: z.enum(EVENT_STATUSES),
  blockTime,
  wallet: address.nullable().describe('The counterparty; null if it is unknown.'),
  slot,
});
export type TransactionRow = z.infer<typeof transactionRow>;

export const transactions = {
  method: 'GET',
  path: PATHS.transactions,
  summary: 'The newest movements of the vault and the stake pool, newest first (50 at most)',
  response: z.array(transactionRow),
  errors: ['history-not-read-yet'],
  live: true,
} as const satisfies Call;
export type Transactions = ResponseOf<typeof transactions>;
