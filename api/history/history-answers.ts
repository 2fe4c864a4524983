import type { ResponseOf } from '../../data/contract/call.ts';
import type { ChartRange, ChartSeries, history } from '../../data/contract/history.ts';
import { toDecimalText } from '../../data/model/amounts.ts';
import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { IndexUnreadableError, NotIndexedYetError } from '../errors.ts';
import type { Clocks } from '../live/stream-hub.ts';
import { type CachedAnswer, figureAnswer } from '../metrics/cached-answer.ts';
import { chainOf, chainProvenance, type Facts } from '../metrics/facts.ts';
import type { HeaderList } from '../security/headers.ts';
import { type ChartPoints, chartPoints } from './chart-points.ts';

type Body = ResponseOf<typeof history>;

/** Milliseconds for which an answer is served without a look at the index. */
const REREAD_EVERY_MS = 3_000;

/** A chart that was read, and the answer made of it. */
interface HeldChart {
  /** The index's version that it was read at. */
  readonly dataVersion: number;
  /** Steady milliseconds of the last look at the version. */
  readonly lookedAt: number;
  readonly chart: ChartPoints;
  /** What was known beside it. */
  readonly facts: Facts;
  answer: { readonly state: Body['state']; readonly cached: CachedAnswer } | null;
}

type Provenance = Pick<Body, 'asOf' | 'slot' | 'source' | 'state'>;

/** The feeds that told the points, each once, the newest last; `latest` for points that name none. */
function feedsOf(points: ChartPoints['points'], latest: string): string[] {
  const feeds = points.map(({ source }) => source ?? latest);
  return [...new Set(feeds.toReversed())].reverse();
}

/** Where a series comes from and how old it is, or null while nothing of its source was read. */
function provenanceOf(series: ChartSeries, { facts, chart }: HeldChart, now: number): Provenance | null {
  if (series === 'price') {
    const { quote } = facts.index;
    return (
      quote && {
        asOf: new Date(quote.readAt).toISOString(),
        slot: null,
        source: feedsOf(chart.points, quote.source),
        state: ageState(quote.readAt, now, FRESHNESS.market),
      }
    );
  }
  const known = chainOf(facts);
  return known && { ...chainProvenance(known.source, known.chain, now), source: [known.source] };
}

function valueText(series: ChartSeries, value: string, { index }: Facts): string {
  const isAmount = series === 'vault' || series === 'staked';
  return isAmount && index.identity ? toDecimalText(BigInt(value), index.identity.decimals) : value;
}

/**
 * Answers charts from memory: one for each series and range, read again at most every few seconds, and only where the
 * index moved.
 */
export class HistoryAnswers {
  readonly #reader: Pick<IndexReader, 'dataVersion' | 'history'>;
  readonly #facts: () => Facts;
  readonly #clocks: Clocks;
  readonly #security: HeaderList;
  readonly #held = new Map<string, HeldChart>();
  readonly #reading = new Map<string, Promise<HeldChart>>();

  constructor(options: {
    readonly reader: Pick<IndexReader, 'dataVersion' | 'history'>;
    readonly facts: () => Facts;
    readonly clocks: Clocks;
    readonly security: HeaderList;
  }) {
    this.#reader = options.reader;
    this.#facts = options.facts;
    this.#clocks = options.clocks;
    this.#security = options.security;
  }

  /** @throws {NotIndexedYetError} while nothing of the series is known. @throws {IndexUnreadableError} */
  async answer(series: ChartSeries, range: ChartRange): Promise<CachedAnswer> {
    const held = await this.#chart(series, range);
    const provenance = provenanceOf(series, held, this.#clocks.wall());
    if (provenance === null || held.chart.points.length === 0) throw new NotIndexedYetError();
    if (held.answer?.state === provenance.state) return held.answer.cached;
    const body: Body = {
      series,
      range,
      resolution: held.chart.resolution,
      points: held.chart.points.map(({ at, value }) => ({
        at: new Date(at).toISOString(),
        value: valueText(series, value, held.facts),
      })),
      ...provenance,
    };
    const cached = figureAnswer({ json: JSON.stringify(body) }, this.#security);
    held.answer = { state: provenance.state, cached };
    return cached;
  }

  async #chart(series: ChartSeries, range: ChartRange): Promise<HeldChart> {
    const key = `${series} ${range}`;
    const held = this.#held.get(key);
    const isKnown = held !== undefined && held.chart.points.length > 0;
    if (isKnown && this.#clocks.steady() - held.lookedAt < REREAD_EVERY_MS) return held;
    // Requests that come while the chart is being read wait for the same reading.
    const reading = this.#reading.get(key) ?? this.#read(series, range, held);
    this.#reading.set(key, reading);
    try {
      const chart = await reading;
      this.#held.set(key, chart);
      return chart;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      // What was read before stays true of its time, and ages.
      if (held) return held;
      throw new IndexUnreadableError({ cause: error });
    } finally {
      this.#reading.delete(key);
    }
  }

  async #read(series: ChartSeries, range: ChartRange, held: HeldChart | undefined): Promise<HeldChart> {
    const lookedAt = this.#clocks.steady();
    const dataVersion = await this.#reader.dataVersion();
    if (held?.dataVersion === dataVersion) return { ...held, lookedAt };
    const facts = this.#facts();
    const chart = await chartPoints(this.#reader, series, range, this.#clocks.wall());
    return { dataVersion, lookedAt, chart, facts, answer: null };
  }
}
