import type { ResponseOf } from '../../data/contract/call.ts';
import {
  analyticsOverview,
  realStaking,
  stakingTotal,
  tokenMarketData,
  tradingMarketData,
  transactions,
  vaultLiveBalance,
  vaultMetrics,
} from '../../data/contract/metrics.ts';
import { networkHealth } from '../../data/contract/network.ts';
import { ratioText, toDecimalText, tokensToBaseUnits } from '../../data/model/amounts.ts';
import {
  MARKET_SUPPLY_BD,
  marketCapUsd,
  reducedSupply,
  stakingParticipationPercent,
  stakingRatioPercent,
} from '../../data/model/supply.ts';
import {
  ageState,
  FRESHNESS,
  HOLDER_COUNT_FRESHNESS,
  nextStateChange,
  RECONCILIATION_FRESHNESS,
  REPORT_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { MarketQuote } from '../../data/store/chain-rows.ts';
import { ApiError } from '../errors.ts';
import { networkHealthBody, networkHealthFingerprint } from '../network/health.ts';
import { nextDurationChange } from '../staking/staker-rows.ts';
import { nextUnlockChange, STAKING_FIGURES } from '../staking/staking-figures.ts';
import {
  chainProvenance,
  chainSnapshot,
  eventsProvenance,
  type Figure,
  type FigureInputs,
  figure,
  holderCountProvenance,
  stakingSnapshot,
  transactionRow,
  vaultSnapshot,
  withoutProvenance,
} from './figure.ts';
import { isVaultHistoryComplete } from './vault-history.ts';

const SOL_DECIMALS = 9;

export function liveBalanceBody(
  inputs: FigureInputs,
  now: number,
): ResponseOf<typeof vaultLiveBalance> | null {
  const snapshot = vaultSnapshot(inputs);
  if (!snapshot) return null;
  const balance = toDecimalText(snapshot.vaultBalance, snapshot.identity.decimals);
  return {
    vaultBalance: balance,
    balance,
    solBalance: toDecimalText(snapshot.vaultLamports, SOL_DECIMALS),
    vaultAddress: snapshot.identity.vault,
    ...chainProvenance(snapshot.source, snapshot.chain, now),
  };
}

/** The growth in percent, with two decimals; null if the earlier balance is unknown or 0. */
export function growthPercent(earlier: bigint | null, balance: bigint): string | null {
  return earlier === null ? null : ratioText((balance - earlier) * 100n, earlier, 2);
}

function vaultMetricsBody(inputs: FigureInputs, now: number): ResponseOf<typeof vaultMetrics> | null {
  const snapshot = vaultSnapshot(inputs);
  const history = inputs.vaultHistory;
  if (!snapshot || !history) return null;
  const { decimals } = snapshot.identity;
  const last24h = isVaultHistoryComplete(history) ? history.last24h : null;
  const isNew = last24h !== null && last24h.deposits - last24h.withdrawals === snapshot.vaultBalance;
  return {
    vaultBalance: toDecimalText(snapshot.vaultBalance, decimals),
    growth: history.earlierBalances.map(({ hours, balance }) => ({
      hours,
      percent: growthPercent(balance, snapshot.vaultBalance),
      hasHistory: balance !== null || !isNew,
    })),
    deposits24h: last24h && toDecimalText(last24h.deposits, decimals),
    withdrawals24h: last24h && toDecimalText(last24h.withdrawals, decimals),
    movements24h: last24h?.movements ?? null,
    ...chainProvenance(snapshot.source, snapshot.chain, now),
  };
}

export function stakingTotalBody(inputs: FigureInputs, now: number): ResponseOf<typeof stakingTotal> | null {
  const snapshot = stakingSnapshot(inputs);
  if (!snapshot) return null;
  return {
    balance: toDecimalText(snapshot.chain.totalStaked, snapshot.identity.decimals),
    stakerCount: snapshot.stakerCount,
    stakePool: snapshot.identity.stakePool,
    ...chainProvenance(snapshot.source, snapshot.chain, now),
  };
}

export function realStakingBody(inputs: FigureInputs, now: number): ResponseOf<typeof realStaking> | null {
  const snapshot = stakingSnapshot(inputs);
  if (!snapshot) return null;
  const { stakerCount } = snapshot;
  const { holders } = inputs.index;
  return {
    totalStakers: stakerCount,
    totalStaked: toDecimalText(snapshot.chain.totalStaked, snapshot.identity.decimals),
    walletsHolding: holders?.wallets ?? null,
    stakingParticipation: holders && stakingParticipationPercent(stakerCount, holders.wallets),
    holdersCounted: holders && holderCountProvenance(snapshot.source, holders, now),
    ...chainProvenance(snapshot.source, snapshot.chain, now),
  };
}

export function overviewBody(inputs: FigureInputs, now: number): ResponseOf<typeof analyticsOverview> | null {
  const snapshot = stakingSnapshot(inputs);
  const vaultBalance = snapshot?.chain.vaultBalance ?? null;
  if (!snapshot || vaultBalance === null) return null;
  const { totalStaked } = snapshot.chain;
  const { decimals } = snapshot.identity;
  return {
    totalStakers: snapshot.stakerCount,
    overview: {
      totalDeployed: toDecimalText(totalStaked + vaultBalance, decimals),
      reducedSupply: toDecimalText(reducedSupply(totalStaked, vaultBalance, decimals), decimals),
      stakingRatioPercent: stakingRatioPercent(totalStaked, decimals),
    },
    ...chainProvenance(snapshot.source, snapshot.chain, now),
  };
}

function marketFields(quote: MarketQuote, now: number) {
  return {
    priceUsd: quote.priceUsd,
    priceChange24h: quote.priceChange24h,
    volume24h: quote.volume24h,
    marketCap: marketCapUsd(quote.priceUsd),
    liquidity: quote.liquidity,
    asOf: new Date(quote.readAt).toISOString(),
    slot: null,
    source: quote.source,
    state: ageState(quote.readAt, now, FRESHNESS.market),
  };
}

export function tradingMarketBody(
  { index }: FigureInputs,
  now: number,
): ResponseOf<typeof tradingMarketData> | null {
  return index.quote && marketFields(index.quote, now);
}

function tokenMarketBody(inputs: FigureInputs, now: number): ResponseOf<typeof tokenMarketData> | null {
  const snapshot = chainSnapshot(inputs);
  const { quote } = inputs.index;
  if (!snapshot || !quote) return null;
  const { decimals } = snapshot.identity;
  const market = marketFields(quote, now);
  const states = [market.state, ageState(snapshot.chain.readAt, now, FRESHNESS.chain)];
  return {
    ...market,
    // The body is as old as the older of its two sources.
    state: (['stale', 'ageing'] as const).find((state) => states.includes(state)) ?? 'live',
    totalSupply: toDecimalText(snapshot.chain.supply, decimals),
    marketSupply: toDecimalText(tokensToBaseUnits(MARKET_SUPPLY_BD, decimals), decimals),
  };
}

export function transactionsBody(inputs: FigureInputs): ResponseOf<typeof transactions> | null {
  const snapshot = chainSnapshot(inputs);
  // The history is indexed oldest first. Until it has caught up, the newest indexed event is not the chain's newest.
  if (!snapshot || !inputs.index.isHistoryCaughtUp) return null;
  return inputs.index.recentEvents.map((event) => transactionRow(event, snapshot.identity));
}

export const FIGURES: readonly Figure[] = [
  figure(vaultLiveBalance, liveBalanceBody),
  figure(vaultMetrics, vaultMetricsBody),
  figure(stakingTotal, stakingTotalBody),
  figure(realStaking, realStakingBody),
  figure(analyticsOverview, overviewBody),
  figure(tradingMarketData, tradingMarketBody),
  figure(tokenMarketData, tokenMarketBody),
  figure(
    transactions,
    transactionsBody,
    withoutProvenance,
    new ApiError('history-not-read-yet'),
    (inputs, now) => {
      const snapshot = chainSnapshot(inputs);
      return snapshot && eventsProvenance(snapshot, inputs.index, now);
    },
  ),
  ...STAKING_FIGURES,
  figure(
    networkHealth,
    ({ source, index }, now) => networkHealthBody(index, source, now),
    networkHealthFingerprint,
  ),
];

/** The next time (Unix ms) after `now` at which a body changes without new data; null if there is none. */
export function nextChangeByTime({ source, index, stakes }: FigureInputs, now: number): number | null {
  const reportedAt = index.endpointsReportedAt;
  const changeTimes = [
    index.chain && nextStateChange(index.chain.readAt, now, FRESHNESS.chain),
    index.holders && nextStateChange(index.holders.readAt, now, HOLDER_COUNT_FRESHNESS[source]),
    index.quote && nextStateChange(index.quote.readAt, now, FRESHNESS.market),
    reportedAt === null ? null : nextStateChange(reportedAt, now, REPORT_FRESHNESS),
    index.reconciliation && nextStateChange(index.reconciliation.at, now, RECONCILIATION_FRESHNESS),
    stakes && nextStateChange(stakes.readAt, now, FRESHNESS.chain),
    stakes && nextDurationChange(stakes.content.stakers, now),
    stakes && nextUnlockChange(stakes.content, now),
  ].filter((time) => time !== null);
  return changeTimes.length === 0 ? null : Math.min(...changeTimes);
}
