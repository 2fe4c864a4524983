import type { ResponseOf } from '../../data/contract/call.ts';
import { type ChartRange, type ChartSeries, history } from '../../data/contract/history.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { ageState, FRESHNESS, isAgeUnknown, REPORT_FRESHNESS } from '../../data/model/value-state.ts';
import {
  type HistoryPoint,
  type HistoryResolution,
  type HistorySeries,
  type IndexReader,
  isMarketSeries,
} from '../../data/store/ports.ts';
import { INTERVAL_MS } from '../../data/store/rules/series.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { type CachedAnswer, cachedFigureAnswer, sendAnswer } from '../metrics/cached-answer.ts';
import { chainProvenance, chainSnapshot, type FigureInputs, stakingSnapshot } from '../metrics/figure.ts';
import type { PortalContext } from '../portal-context.ts';
import { readQuery } from '../request-input.ts';

/** The points are oldest first. `resolution` is the resolution of the finest points. */
interface ChartPoints {
  readonly resolution: HistoryResolution;
  readonly points: readonly HistoryPoint[];
}

const DAY_MS = INTERVAL_MS.day;
const FINER_RESOLUTION = { day: 'hour', hour: 'minute', minute: null } as const;
const COARSER_RESOLUTION = { minute: 'hour', hour: 'day', day: null } as const;
const RANGES: Readonly<
  Record<ChartRange, { readonly resolution: HistoryResolution; readonly lengthMs: number }>
> = {
  '24h': { resolution: 'minute', lengthMs: DAY_MS },
  '7d': { resolution: 'hour', lengthMs: 7 * DAY_MS },
  '30d': { resolution: 'hour', lengthMs: 30 * DAY_MS },
  all: { resolution: 'day', lengthMs: Number.POSITIVE_INFINITY },
};

/** If a chart would have fewer points, it is read at a finer resolution. */
const ENOUGH_POINTS = 24;
/** The maximum number of points in a chart: more than a chart is pixels wide, and enough for each minute of a day. */
export const MAX_POINTS = 1_500;

/**
 * The points of a series from `since` to `now` (Unix ms). Fine points are stored for a shorter time than
 * coarse ones, so coarser points fill the time before the first fine one. Points from the future are left
 * out, because a wrong clock made them.
 */
async function pointsAt(
  reader: Pick<IndexReader, 'history'>,
  series: HistorySeries,
  resolution: HistoryResolution,
  since: number,
  now: number,
): Promise<readonly HistoryPoint[]> {
  const storedPoints = await reader.history(series, resolution, since);
  const finePoints = storedPoints.filter(({ at }) => !isAgeUnknown(now - at));
  const coarser = COARSER_RESOLUTION[resolution];
  const finePointsStart = finePoints[0]?.at ?? Number.POSITIVE_INFINITY;
  if (coarser === null || finePointsStart <= since) return finePoints;
  const earlier = await pointsAt(reader, series, coarser, since, now);
  // A coarse point whose interval overlaps the fine points repeats the value of one of them.
  return [...earlier.filter(({ at }) => at + INTERVAL_MS[coarser] <= finePointsStart), ...finePoints];
}

/** Removes points evenly until at most `maximum` are left. The newest point is kept. */
export function thinPoints(points: readonly HistoryPoint[], maximum: number): readonly HistoryPoint[] {
  const step = Math.ceil(points.length / maximum);
  return step <= 1 ? points : points.filter((_point, index) => (points.length - 1 - index) % step === 0);
}

/**
 * The points of a chart that ends at `now` (Unix ms). A chart for a day has one point per minute, a chart for a week or a month
 * has one per hour, and the chart for all time has one per day. If these are too few, finer points are read. The first point
 * can precede the range, because it gives the value at the start of the range.
 */
export async function chartPoints(
  reader: Pick<IndexReader, 'history'>,
  series: HistorySeries,
  range: ChartRange,
  now: number,
): Promise<ChartPoints> {
  const { resolution, lengthMs } = RANGES[range];
  const since = Math.max(0, now - lengthMs);
  let chart: ChartPoints = { resolution, points: await pointsAt(reader, series, resolution, since, now) };
  let finer: HistoryResolution | null = FINER_RESOLUTION[resolution];
  while (finer !== null && chart.points.length < ENOUGH_POINTS) {
    const points = await pointsAt(reader, series, finer, since, now);
    if (points.length > chart.points.length) chart = { resolution: finer, points };
    finer = FINER_RESOLUTION[finer];
  }
  return { resolution: chart.resolution, points: thinPoints(chart.points, MAX_POINTS) };
}

type Body = ResponseOf<typeof history>;

/** How long a chart is served before the index is checked for changes. */
const CHECK_INTERVAL_MS = 3_000;

/** `answer` is null until the chart is serialized for its first request. */
interface CachedChart {
  readonly dataVersion: number;
  /** Monotonic ms. */
  readonly checkedAt: number;
  readonly chart: ChartPoints;
  readonly inputs: FigureInputs;
  answer: { readonly state: Body['state']; readonly cached: CachedAnswer } | null;
}

type Provenance = Pick<Body, 'asOf' | 'slot' | 'source' | 'state'>;

/** The feeds that the points come from, without duplicates, newest last. A point that names no feed is from `latestFeed`. */
function feedsOf(points: ChartPoints['points'], latestFeed: string): string[] {
  const feeds = points.map(({ source }) => source ?? latestFeed);
  return [...new Set(feeds.toReversed())].reverse();
}

/** The source and age of a series; null before its source is read. */
function provenanceOf(series: ChartSeries, { inputs, chart }: CachedChart, now: number): Provenance | null {
  if (isMarketSeries(series)) {
    const { quote } = inputs.index;
    return (
      quote && {
        asOf: new Date(quote.readAt).toISOString(),
        slot: null,
        source: feedsOf(chart.points, quote.source),
        state: ageState(quote.readAt, now, FRESHNESS.market),
      }
    );
  }
  if (series === 'network') {
    const { endpointsReportedAt: at } = inputs.index;
    if (at === null) return null;
    const state = ageState(at, now, REPORT_FRESHNESS);
    return { asOf: new Date(at).toISOString(), slot: null, source: [inputs.source], state };
  }
  const snapshot = series === 'stakers' ? stakingSnapshot(inputs) : chainSnapshot(inputs);
  return snapshot && { ...chainProvenance(snapshot.source, snapshot.chain, now), source: [snapshot.source] };
}

function valueText(series: ChartSeries, value: string, { index }: FigureInputs): string {
  if (series === 'network') return (Number(value) * 100).toFixed(1).replace('.0', '');
  const isAmount = series === 'vault' || series === 'staked';
  return isAmount && index.identity ? toDecimalText(BigInt(value), index.identity.decimals) : value;
}

type HistoryContext = Pick<PortalContext, 'reader' | 'figureInputs' | 'now' | 'monotonicNow' | 'security'>;

/**
 * Keeps one chart per series and range in memory. A chart is read again when the index has changed, at most every few
 * seconds.
 */
class HistoryAnswers {
  readonly #context: HistoryContext;
  readonly #entries = new Map<string, CachedChart>();
  readonly #pendingReads = new Map<string, Promise<CachedChart>>();

  constructor(context: HistoryContext) {
    this.#context = context;
  }

  /** @throws {ApiError} `not-indexed-yet`, `index-unreadable` */
  async answer(series: ChartSeries, range: ChartRange): Promise<CachedAnswer> {
    const entry = await this.#chart(series, range);
    const provenance = provenanceOf(series, entry, this.#context.now());
    if (provenance === null || entry.chart.points.length === 0) throw new ApiError('not-indexed-yet');
    if (entry.answer?.state === provenance.state) return entry.answer.cached;
    const body: Body = {
      series,
      range,
      resolution: entry.chart.resolution,
      points: entry.chart.points.map(({ at, value }) => ({
        at: new Date(at).toISOString(),
        value: value === '' ? null : valueText(series, value, entry.inputs),
      })),
      ...provenance,
    };
    const cached = cachedFigureAnswer({ json: JSON.stringify(body) }, this.#context.security.publicData);
    entry.answer = { state: provenance.state, cached };
    return cached;
  }

  async #chart(series: ChartSeries, range: ChartRange): Promise<CachedChart> {
    const key = `${series} ${range}`;
    const entry = this.#entries.get(key);
    const hasPoints = entry !== undefined && entry.chart.points.length > 0;
    if (hasPoints && this.#context.monotonicNow() - entry.checkedAt < CHECK_INTERVAL_MS) return entry;
    const pendingRead = this.#pendingReads.get(key) ?? this.#read(series, range, entry);
    this.#pendingReads.set(key, pendingRead);
    try {
      const cachedChart = await pendingRead;
      this.#entries.set(key, cachedChart);
      return cachedChart;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      // The previous chart is still correct for its time, and the answer states its age.
      if (entry) return entry;
      throw new ApiError('index-unreadable', { cause: error });
    } finally {
      this.#pendingReads.delete(key);
    }
  }

  async #read(series: ChartSeries, range: ChartRange, entry: CachedChart | undefined): Promise<CachedChart> {
    const { reader, figureInputs, now, monotonicNow } = this.#context;
    const checkedAt = monotonicNow();
    const dataVersion = await reader.dataVersion();
    if (entry?.dataVersion === dataVersion) return { ...entry, checkedAt };
    const current = figureInputs();
    const chart = await chartPoints(reader, series, range, now());
    return { dataVersion, checkedAt, chart, inputs: current, answer: null };
  }
}

export function historyRoute(context: HistoryContext): ApiRoute {
  const answers = new HistoryAnswers(context);
  return callRoute(history, {}, async (request, response) => {
    const { series, range } = readQuery(history.query, request.query);
    sendAnswer(await answers.answer(series, range), request, response);
  });
}
