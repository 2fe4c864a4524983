import { useStore } from '@nanostores/react';
import type { StakeHistory } from '../../../data/contract/wallet-history.ts';
import { EVENT_KINDS, type EventKind } from '../../../data/model/chain-events.ts';
import type { ChartLine } from '../chart/chart-line.ts';
import { $pageQuery, setPageQuery } from '../table/table-view.ts';

const DAY_MS = 86_400_000;
/** The minimum span of the chart, in case the wallet has only just staked for the first time. */
const SHORTEST_SPAN_MS = 3_600_000;

/** The filters for the list of events: first and last day (UTC), and type. Null means no filter. */
export interface HistoryView {
  readonly from: string | null;
  readonly to: string | null;
  readonly type: EventKind | null;
}

const FIELDS = ['from', 'to', 'type'] as const;
// Browsers read 30 February as 2 March, but the server rejects 30 February.
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
const isKind = (text: string): text is EventKind => EVENT_KINDS.some((kind) => kind === text);

/** Invalid parameters are ignored. */
export function readHistoryView(query: string): HistoryView {
  const parameters = new URLSearchParams(query);
  const [from = '', to = '', type = ''] = FIELDS.map((name) => parameters.get(`history-${name}`) ?? '');
  return { from: isDay(from) ? from : null, to: isDay(to) ? to : null, type: isKind(type) ? type : null };
}

export function writeHistoryView(query: string, view: HistoryView): string {
  const parameters = new URLSearchParams(query);
  for (const name of FIELDS) {
    const value = view[name];
    if (value === null) parameters.delete(`history-${name}`);
    else parameters.set(`history-${name}`, value);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

export function useHistoryView() {
  const query = useStore($pageQuery, { ssr: 'initial' });
  const view = readHistoryView(query);
  /** `replace` adds no entry to the browser's history. It is for typed dates, which change with each digit. */
  const change = (changes: Partial<HistoryView>, method: 'push' | 'replace' = 'push') =>
    setPageQuery(writeHistoryView(query, { ...view, ...changes }), method);
  return { view, change };
}

export function historyQuery(wallet: string, { from, to, type }: HistoryView): string {
  const query = new URLSearchParams({ walletAddress: wallet });
  if (from !== null) query.set('from', from);
  if (to !== null) query.set('to', to);
  if (type !== null) query.set('type', type);
  return query.toString();
}

const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** @param now Unix ms */
export function rangePresets(now: number): readonly (readonly [string, Pick<HistoryView, 'from' | 'to'>])[] {
  const year = new Date(now).getUTCFullYear();
  return [
    ['All time', { from: null, to: null }],
    ['Last 30 days', { from: utcDay(now - 29 * DAY_MS), to: null }],
    ['Last 365 days', { from: utcDay(now - 364 * DAY_MS), to: null }],
    [`${year}`, { from: `${year}-01-01`, to: `${year}-12-31` }],
    [`${year - 1}`, { from: `${year - 1}-01-01`, to: `${year - 1}-12-31` }],
  ];
}

/**
 * The chart line of a stake in a date range; null if there are no points.
 * @param knownUntil the time (Unix ms) until which the last value is known to apply
 */
export function stakeLine(
  points: NonNullable<StakeHistory['points']>,
  { from, to }: Pick<HistoryView, 'from' | 'to'>,
  knownUntil: number,
): ChartLine | null {
  const [first] = points;
  if (first === undefined) return null;
  const [firstAt, lastAt] = [Date.parse(first.at), Date.parse(points.at(-1)?.at ?? first.at)];
  const end = Math.max(to === null ? knownUntil : Math.min(Date.parse(to) + DAY_MS, knownUntil), lastAt);
  const begin = Math.min(from === null ? firstAt : Date.parse(from), end - SHORTEST_SPAN_MS);
  // Before its first event, the wallet had no stake.
  const initialPoints = firstAt > begin ? [{ at: begin, text: '0', value: 0 }] : [];
  const knownPoints = points.map(({ at, staked }) => ({
    at: Date.parse(at),
    text: staked,
    value: Number(staked),
  }));
  return {
    points: [...initialPoints, ...knownPoints],
    from: begin,
    to: end,
    knownUntil: end,
    isPast: end < knownUntil,
  };
}
