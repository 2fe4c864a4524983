import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainSnapshot, MarketQuote } from '../chain-rows.ts';
import { HISTORY_RESOLUTIONS, HISTORY_SERIES, type HistoryPoint, type HistoryResolution } from '../ports.ts';
import {
  type EndpointReport,
  HISTORY_ORIGINS,
  intervalStart,
  originOfPrice,
  POINT_RETENTION_MS,
  quoteSamples,
  reportSamples,
  type Sample,
  snapshotSamples,
} from '../rules/series.ts';
import {
  and,
  asc,
  desc,
  equalsPlaceholder,
  gte,
  lt,
  lte,
  placeholder,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import { historyBeginnings, historyPoints } from './index-schema.ts';

/** The maximum number of points that one `deleteOldPoints` call removes for each series, origin and resolution. */
const MAX_REMOVED = 5_000;

const ofSeries = and(
  equalsPlaceholder(historyPoints.series, 'series'),
  equalsPlaceholder(historyPoints.origin, 'origin'),
  equalsPlaceholder(historyPoints.resolution, 'resolution'),
);

export function preparePointReads(db: BetterSQLite3Database) {
  const point = { at: historyPoints.at, value: historyPoints.value, source: historyPoints.source };
  return {
    lastBefore: db
      .select(point)
      .from(historyPoints)
      .where(and(ofSeries, lt(historyPoints.at, placeholder('at'))))
      .orderBy(desc(historyPoints.at))
      .limit(1)
      .prepare(),
    pointsFrom: db
      .select(point)
      .from(historyPoints)
      .where(and(ofSeries, gte(historyPoints.at, placeholder('at'))))
      .orderBy(asc(historyPoints.at))
      .prepare(),
  };
}

export function preparePointStatements(db: BetterSQLite3Database) {
  const point = rowPlaceholders(historyPoints);
  const { origin, at, slot, vault, staked, stakers } = rowPlaceholders(historyBeginnings);
  return {
    lastBefore: preparePointReads(db).lastBefore,
    lastUpTo: db
      .select({ at: historyPoints.at, value: historyPoints.value })
      .from(historyPoints)
      .where(and(ofSeries, lte(historyPoints.at, placeholder('at'))))
      .orderBy(desc(historyPoints.at))
      .limit(1)
      .prepare(),
    put: db
      .insert(historyPoints)
      .values(point)
      .onConflictDoUpdate({
        target: [historyPoints.series, historyPoints.origin, historyPoints.resolution, historyPoints.at],
        set: {
          // Each interval stores the network's worst state, so that short outages are visible even at coarse resolutions.
          value: sql`case excluded.series when 'network' then min(${historyPoints.value}, excluded.value) else excluded.value end`,
          source: sql`excluded.source`,
        },
      })
      .prepare(),
    fill: db.insert(historyPoints).values(point).onConflictDoNothing().prepare(),
    removeBefore: db
      .delete(historyPoints)
      .where(
        sql`rowid in (select rowid from ${historyPoints} where ${and(ofSeries, lt(historyPoints.at, placeholder('at')))}
          order by ${historyPoints.at} limit ${placeholder('limit')})`,
      )
      .prepare(),
    beginMarket: db
      .insert(historyBeginnings)
      .values({ origin, at, isFilled: false })
      .onConflictDoNothing()
      .prepare(),
    beginChain: db
      .insert(historyBeginnings)
      .values({ origin: 'chain', at, slot, vault, staked, stakers, isFilled: false })
      .onConflictDoNothing()
      .prepare(),
    firstSample: db
      .select()
      .from(historyBeginnings)
      .where(equalsPlaceholder(historyBeginnings.origin, 'origin'))
      .prepare(),
    setFilled: db
      .update(historyBeginnings)
      .set({ isFilled: true })
      .where(equalsPlaceholder(historyBeginnings.origin, 'origin'))
      .prepare(),
  };
}
export type PointStatements = ReturnType<typeof preparePointStatements>;

/**
 * For every resolution, stores a sample in the interval that contains `moment`, unless its value repeats the previous
 * one. If the sample has a `lowest` value, that value is stored instead. No resolution is computed from the points of
 * another one, because those points may have been deleted.
 */
function sample(
  statements: PointStatements,
  { value: sampled, lowest = sampled, ...key }: Sample,
  moment: number,
): void {
  for (const resolution of HISTORY_RESOLUTIONS) {
    const at = intervalStart(moment, resolution);
    if (statements.lastUpTo.get({ ...key, resolution, at })?.value === sampled) continue;
    statements.put.run({ ...key, resolution, at, value: lowest });
  }
}

/**
 * Samples the figures of a snapshot. Call it in the transaction that stores the snapshot. The first snapshot that has all
 * figures marks the end of the history to backfill.
 * @param stakers the number of stakers; null if it is unknown
 */
export function sampleSnapshot(
  statements: PointStatements,
  snapshot: ChainSnapshot,
  stakers: number | null,
): void {
  const { readAt: at, slot, vaultBalance, totalStaked: staked } = snapshot;
  for (const one of snapshotSamples(snapshot, stakers)) sample(statements, one, at);
  if (stakers !== null && vaultBalance !== null)
    statements.beginChain.run({ at, slot, vault: vaultBalance, staked, stakers });
}

/** Call it in the transaction that stores the quote. */
export function sampleQuote(statements: PointStatements, quote: MarketQuote, at: number): void {
  statements.beginMarket.run({ origin: originOfPrice(quote.source), at });
  for (const one of quoteSamples(quote)) sample(statements, one, at);
}

/** Call it in the transaction that stores the report. */
export function sampleReport(
  statements: PointStatements,
  report: EndpointReport,
  previous: EndpointReport | null,
  at: number,
): void {
  for (const one of reportSamples(report, previous, at)) sample(statements, one.sample, one.at);
}

/** @see IndexWriter.deleteOldHistory. Points beyond `MAX_REMOVED` are left for the next call. */
export function deleteOldPoints(statements: PointStatements, now: number): void {
  for (const resolution of ['minute', 'hour'] as const) {
    for (const series of HISTORY_SERIES) {
      for (const origin of HISTORY_ORIGINS) {
        const key = { series, origin, resolution };
        const lastPoint = statements.lastBefore.get({ ...key, at: now - POINT_RETENTION_MS[resolution] });
        if (lastPoint) statements.removeBefore.run({ ...key, at: lastPoint.at, limit: MAX_REMOVED });
      }
    }
  }
}

/** Reads the points of a series since a given time, oldest first, preceded by the last point before that time. */
export function readPoints(
  statements: ReturnType<typeof preparePointReads>,
  key: Pick<Sample, 'series' | 'origin'>,
  resolution: HistoryResolution,
  since: number,
): HistoryPoint[] {
  const lastBefore = statements.lastBefore.get({ ...key, resolution, at: since });
  const pointsSince = statements.pointsFrom.all({ ...key, resolution, at: since });
  return (lastBefore ? [lastBefore, ...pointsSince] : pointsSince).map(({ at, value, source }) =>
    source === null ? { at, value } : { at, value, source },
  );
}
