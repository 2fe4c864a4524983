import type { ChartSeries } from '../../../data/contract/history.ts';
import {
  ANALYTICS_MARKET_DATA,
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
  type FigurePath,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';

/** The newest value of a series, by the live figure that it is the history of. */
export interface LatestValue {
  /** When it was read, Unix ms. */
  readonly at: number;
  /** Exact decimal text. */
  readonly text: string;
  /** The call that brought it. */
  readonly call: FigurePath;
}

const FIGURES = {
  vault: ANALYTICS_VAULT_BALANCE,
  staked: ANALYTICS_STAKING_TOTAL,
  stakers: ANALYTICS_STAKING_TOTAL,
  price: ANALYTICS_MARKET_DATA,
} as const satisfies Record<ChartSeries, unknown>;
type LatestPath = (typeof FIGURES)[ChartSeries]['path'];

function textOf(series: ChartSeries, body: FigureBodies[LatestPath]): string {
  if ('vaultBalance' in body) return body.vaultBalance;
  if ('priceUsd' in body) return body.priceUsd;
  return series === 'stakers' ? String(body.stakerCount) : body.balance;
}

/** The newest value of a series; null until it is known. */
export function useLatest(series: ChartSeries): LatestValue | null {
  const reading = useFigure<LatestPath>(FIGURES[series]);
  return reading.kind === 'known'
    ? { at: Date.parse(reading.body.asOf), text: textOf(series, reading.body), call: FIGURES[series].path }
    : null;
}
