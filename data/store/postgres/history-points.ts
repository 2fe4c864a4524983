import type { ChainSnapshot, MarketQuote } from '../chain-rows.ts';
import { HISTORY_RESOLUTIONS, type HistoryResolution, type IndexReader } from '../ports.ts';
import {
  type EndpointReport,
  intervalStart,
  originOfPrice,
  POINT_RETENTION_MS,
  quoteSamples,
  reportSamples,
  type Sample,
  snapshotSamples,
} from '../rules/series.ts';
import type { Database, Queries } from './database.ts';

export interface StoredPoint extends Sample {
  readonly resolution: HistoryResolution;
  readonly at: number;
}

const POINT_COLUMNS = 'series, origin, resolution, at, value, source';

export function preparePointRows({ statement }: Database) {
  const statements = {
    // Each resolution is sampled separately, because the points of a finer resolution may already have been deleted.
    sample: statement(`
      insert into $.history_points as point (${POINT_COLUMNS})
      select series, origin, resolution, at, coalesce(lowest, value), source
      from json_to_recordset($1) as sample (
        series text, origin text, resolution text, at bigint, value text, source text, lowest text)
      where value is distinct from (
        select value from $.history_points before
        where before.series = sample.series and before.origin = sample.origin and before.resolution = sample.resolution
          and before.at <= sample.at
        order by before.at desc limit 1)
      on conflict (series, origin, resolution, at) do update set source = excluded.source,
        -- An interval keeps the worst state of the network, so that short outages are visible in coarse points.
        value = case excluded.series when 'network' then least(point.value, excluded.value) else excluded.value end`),
    fill: statement(`
      insert into $.history_points (${POINT_COLUMNS}) select ${POINT_COLUMNS} from json_populate_recordset(null::$.history_points, $1)
      on conflict do nothing`),
    begin: statement(`
      insert into $.history_beginnings (origin, at, slot, vault, staked, stakers) values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing`),
    setFilled: statement('update $.history_beginnings set "isFilled" = true where origin = $1'),
    deleteOldPoints: statement(`
      delete from $.history_points point using (
        select series, origin, max(at) as at from $.history_points where resolution = $1 and at < $2
        group by series, origin) kept
      where point.resolution = $1 and point.series = kept.series and point.origin = kept.origin and point.at < kept.at`),
  };

  /** Stores values in the current interval of every resolution, unless they repeat the previous value. */
  async function sample(queries: Queries, samples: readonly Sample[], moment: number): Promise<void> {
    const points = samples.flatMap((one) =>
      HISTORY_RESOLUTIONS.map(
        (resolution): StoredPoint => ({ ...one, resolution, at: intervalStart(moment, resolution) }),
      ),
    );
    await queries.run(statements.sample, JSON.stringify(points));
  }

  return {
    /**
     * Samples the values of a snapshot. The first snapshot with all values determines where backfilled series end.
     * @param stakers the number of stakers; null if unknown
     */
    async sampleSnapshot(queries: Queries, snapshot: ChainSnapshot, stakers: number | null): Promise<void> {
      const { readAt, slot, vaultBalance, totalStaked } = snapshot;
      await sample(queries, snapshotSamples(snapshot, stakers), readAt);
      if (stakers === null || vaultBalance === null) return;
      await queries.run(
        statements.begin,
        'chain',
        readAt,
        slot,
        `${vaultBalance}`,
        `${totalStaked}`,
        stakers,
      );
    },
    async sampleQuote(queries: Queries, quote: MarketQuote, at: number): Promise<void> {
      await queries.run(statements.begin, originOfPrice(quote.source), at, null, null, null, null);
      await sample(queries, quoteSamples(quote), at);
    },
    async sampleReport(
      queries: Queries,
      report: EndpointReport,
      previous: EndpointReport | null,
      at: number,
    ): Promise<void> {
      for (const one of reportSamples(report, previous, at)) await sample(queries, [one.sample], one.at);
    },
    /** Stores backfilled points, except where a point already exists, and marks the origin's series as filled. */
    async fill(queries: Queries, origin: string, points: readonly StoredPoint[]): Promise<void> {
      await queries.run(statements.fill, JSON.stringify(points));
      await queries.run(statements.setFilled, origin);
    },
    async deleteOldPoints(queries: Queries, now: number): Promise<void> {
      for (const resolution of ['minute', 'hour'] as const) {
        await queries.run(statements.deleteOldPoints, resolution, now - POINT_RETENTION_MS[resolution]);
      }
    },
  };
}
export type PointRows = ReturnType<typeof preparePointRows>;

interface PointRow {
  readonly at: number;
  readonly value: string;
  readonly source: string | null;
}

export function preparePointReads(db: Database): Pick<IndexReader, 'history'> {
  // One statement, so that the points and the origin of the latest quote are from the same moment.
  const read = db.statement<PointRow>(`
    with wanted as (
      select case when $1 in ('price', 'volume') then (select origin from $.market_quote) else 'chain' end as origin)
    select at, value, source from $.history_points, wanted
    where series = $1 and history_points.origin = wanted.origin and resolution = $2
      and at >= coalesce((
        select max(at) from $.history_points before
        where before.series = $1 and before.origin = wanted.origin and before.resolution = $2 and before.at < $3), $3)
    order by at`);
  return {
    async history(series, resolution, since) {
      const points = await db.all(read, series, resolution, since);
      return points.map(({ at, value, source }) => (source === null ? { at, value } : { at, value, source }));
    },
  };
}
