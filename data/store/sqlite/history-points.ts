import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ChainSnapshot, MarketQuote } from '../chain-rows.ts';
import {
  HISTORY_RESOLUTIONS,
  HISTORY_SERIES,
  type HistoryPoint,
  type HistoryResolution,
  type HistorySeries,
} from '../ports.ts';
import { and, asc, desc, eq, gte, lt, lte, sql } from './drizzle.ts';
import { HISTORY_ORIGINS, historyBeginnings, historyPoints } from './index-schema.ts';

const value = (name: string) => sql.placeholder(name);

export type HistoryOrigin = (typeof HISTORY_ORIGINS)[number];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Length of an interval in milliseconds. */
const LENGTH: Readonly<Record<HistoryResolution, number>> = { minute: 60_000, hour: HOUR, day: DAY };

/** How long (ms) points are kept; days are kept for ever. */
export const KEPT = { minute: 48 * HOUR, hour: 100 * DAY } as const;

/** Points that one call of `rollUp` removes at most, of each series and resolution. */
const REMOVED_AT_MOST = 5_000;

/** The feed whose prices are made up, for running without a market. */
const MADE_UP_FEED = 'demo';

export function originOfPrice(source: string): HistoryOrigin {
  return source === MADE_UP_FEED ? 'made-up' : 'market';
}

/** Begin of the interval that a moment lies in. */
export function intervalOf(at: number, resolution: HistoryResolution): number {
  return Math.floor(at / LENGTH[resolution]) * LENGTH[resolution];
}

const ofSeries = and(
  eq(historyPoints.series, value('series')),
  eq(historyPoints.origin, value('origin')),
  eq(historyPoints.resolution, value('resolution')),
);

/** The prepared statements by which points are read. */
export function preparePointReads(db: BetterSQLite3Database) {
  const point = { at: historyPoints.at, value: historyPoints.value, source: historyPoints.source };
  return {
    lastBefore: db
      .select(point)
      .from(historyPoints)
      .where(and(ofSeries, lt(historyPoints.at, value('at'))))
      .orderBy(desc(historyPoints.at))
      .limit(1)
      .prepare(),
    from: db
      .select(point)
      .from(historyPoints)
      .where(and(ofSeries, gte(historyPoints.at, value('at'))))
      .orderBy(asc(historyPoints.at))
      .prepare(),
  };
}

/** The prepared statements by which the writer keeps the points. */
export function prepareHistoryStatements(db: BetterSQLite3Database) {
  const point = {
    series: value('series'),
    origin: value('origin'),
    resolution: value('resolution'),
    at: value('at'),
    value: value('value'),
    source: value('source'),
  };
  return {
    lastBefore: preparePointReads(db).lastBefore,
    lastUpTo: db
      .select({ at: historyPoints.at, value: historyPoints.value })
      .from(historyPoints)
      .where(and(ofSeries, lte(historyPoints.at, value('at'))))
      .orderBy(desc(historyPoints.at))
      .limit(1)
      .prepare(),
    put: db
      .insert(historyPoints)
      .values(point)
      .onConflictDoUpdate({
        target: [historyPoints.series, historyPoints.origin, historyPoints.resolution, historyPoints.at],
        set: { value: sql`excluded.value`, source: sql`excluded.source` },
      })
      .prepare(),
    fill: db.insert(historyPoints).values(point).onConflictDoNothing().prepare(),
    removeBefore: db
      .delete(historyPoints)
      .where(
        sql`rowid in (select rowid from ${historyPoints} where ${and(ofSeries, lt(historyPoints.at, value('at')))}
          order by ${historyPoints.at} limit ${value('limit')})`,
      )
      .prepare(),
    beginOfMarket: db
      .insert(historyBeginnings)
      .values({ origin: value('origin'), at: value('at'), isFilled: false })
      .onConflictDoNothing()
      .prepare(),
    beginOfChain: db
      .insert(historyBeginnings)
      .values({
        origin: 'chain',
        at: value('at'),
        slot: value('slot'),
        vault: value('vault'),
        staked: value('staked'),
        stakers: value('stakers'),
        isFilled: false,
      })
      .onConflictDoNothing()
      .prepare(),
    beginning: db
      .select()
      .from(historyBeginnings)
      .where(eq(historyBeginnings.origin, value('origin')))
      .prepare(),
    setFilled: db
      .update(historyBeginnings)
      .set({ isFilled: true })
      .where(eq(historyBeginnings.origin, value('origin')))
      .prepare(),
  };
}
export type PointStatements = ReturnType<typeof prepareHistoryStatements>;

interface Sample {
  readonly series: HistorySeries;
  readonly origin: HistoryOrigin;
  readonly source: string | null;
  readonly value: string;
}

/**
 * Keeps a value in the interval of every resolution that its moment lies in, unless it is the one that stood before.
 * So each resolution is whole at any time, and is never made of another that may have been cut.
 */
function sample(statements: PointStatements, { value: sampled, ...of }: Sample, moment: number): void {
  for (const resolution of HISTORY_RESOLUTIONS) {
    const at = intervalOf(moment, resolution);
    if (statements.lastUpTo.get({ ...of, resolution, at })?.value === sampled) continue;
    statements.put.run({ ...of, resolution, at, value: sampled });
  }
}

/** Samples what an accepted snapshot says; to be run in its transaction. */
export function sampleSnapshot(
  statements: PointStatements,
  { readAt, slot, vaultBalance, totalStaked }: ChainSnapshot,
  stakers: number,
): void {
  const of = { origin: 'chain', source: null } as const;
  statements.beginOfChain.run({ at: readAt, slot, vault: vaultBalance, staked: totalStaked, stakers });
  sample(statements, { ...of, series: 'vault', value: vaultBalance.toString() }, readAt);
  sample(statements, { ...of, series: 'staked', value: totalStaked.toString() }, readAt);
  sample(statements, { ...of, series: 'stakers', value: stakers.toString() }, readAt);
}

/** Samples a quote's price; to be run in its transaction. */
export function sampleQuote(statements: PointStatements, { priceUsd, source, readAt }: MarketQuote): void {
  const origin = originOfPrice(source);
  statements.beginOfMarket.run({ origin, at: readAt });
  sample(statements, { series: 'price', origin, source, value: priceUsd }, readAt);
}

/**
 * Drops points that are older than their resolution is kept for, but for the last of them: it says what stood when the
 * kept ones begin. What it leaves over, the next call removes.
 */
export function rollUp(statements: PointStatements, now: number): void {
  for (const resolution of ['minute', 'hour'] as const) {
    for (const series of HISTORY_SERIES) {
      for (const origin of HISTORY_ORIGINS) {
        const of = { series, origin, resolution };
        const kept = statements.lastBefore.get({ ...of, at: now - KEPT[resolution] });
        if (kept) statements.removeBefore.run({ ...of, at: kept.at, limit: REMOVED_AT_MOST });
      }
    }
  }
}

/** Points of a series from a moment on, oldest first, and the last one before it. */
export function readPoints(
  statements: ReturnType<typeof preparePointReads>,
  of: Pick<Sample, 'series' | 'origin'>,
  resolution: HistoryResolution,
  since: number,
): HistoryPoint[] {
  const before = statements.lastBefore.get({ ...of, resolution, at: since });
  const from = statements.from.all({ ...of, resolution, at: since });
  return (before ? [before, ...from] : from).map(({ at, value, source }) =>
    source === null ? { at, value } : { at, value, source },
  );
}
