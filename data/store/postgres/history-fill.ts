import type { HistoryPoint, IndexWriter } from '../ports.ts';
import {
  type BackfillFacts,
  type BackfillStore,
  backfillRange,
  EVENTS_PER_READ,
  fillChainSeries,
} from '../rules/history-fill.ts';
import {
  FILLED_RESOLUTIONS,
  originOfPrice,
  type PastPoints,
  pastPricePoints,
  type Sample,
} from '../rules/series.ts';
import type { Database, Queries } from './database.ts';
import { type EventRows, NEWEST_FIRST, TOTALS_COLUMNS, type TotalsRow, totalsFromRow } from './event-rows.ts';
import type { PointRows, StoredPoint } from './history-points.ts';
import type { IndexTransactions } from './index-transactions.ts';

interface WatchedRow {
  readonly id: number;
  readonly caughtUpAt: number | null;
  readonly totals: TotalsRow | null;
}

interface RangeRow extends Pick<BackfillFacts, 'isUnsettled' | 'differences'> {
  readonly at: number;
  readonly slot: number;
  readonly vaultBalance: string;
  readonly staked: string;
  readonly stakers: number;
  readonly isFilled: boolean;
  readonly vault: WatchedRow | null;
  readonly poolVault: WatchedRow | null;
}

function prepareStatements({ statement }: Database) {
  const watchedSql = (name: string) => `
    (select row_to_json(watched) from (
      select account.id, account."caughtUpAt", (
        select row_to_json(totals) from (
          select ${TOTALS_COLUMNS} from $.events where "accountId" = account.id and slot <= beginning.slot
          order by ${NEWEST_FIRST} limit 1) totals) as totals
      from $.accounts account join $.index_identity identity on identity.${name} = account.address) watched)`;
  return {
    range: statement<RangeRow>(`
      select beginning.at, beginning.slot, beginning.vault as "vaultBalance", beginning.staked, beginning.stakers,
        beginning."isFilled", ${watchedSql('vault')} as vault, ${watchedSql('"poolVault"')} as "poolVault",
        exists (select from $.quarantined)
          or exists (select from $.provisional_events event where event.slot <= beginning.slot) as "isUnsettled",
        coalesce((select json_array_length(differences) from $.reconciliations), 0) as differences
      from $.history_beginnings beginning where origin = 'chain'`),
    firstSample: statement<{ at: number; isFilled: boolean }>(
      'select at, "isFilled" from $.history_beginnings where origin = $1',
    ),
  };
}

const watchedHistory = (row: WatchedRow | null) =>
  row && { id: row.id, caughtUpAt: row.caughtUpAt, totals: row.totals && totalsFromRow(row.totals) };

function pointsOf(key: Omit<Sample, 'value'>, past: PastPoints): readonly StoredPoint[] {
  return FILLED_RESOLUTIONS.flatMap((resolution) =>
    past.pointsOf(resolution).map(({ at, value }) => ({ ...key, resolution, at, value })),
  );
}

export function prepareHistoryFiller(
  db: Database,
  events: EventRows,
  points: PointRows,
  { read, write }: IndexTransactions,
): IndexWriter['fillHistory'] {
  const statements = prepareStatements(db);

  async function readRange(queries: Queries) {
    const row = await queries.get(statements.range);
    if (row === null) return null;
    const { at, slot, vaultBalance, staked, stakers, isFilled, isUnsettled, differences } = row;
    return backfillRange({
      firstSample: {
        at,
        slot,
        vaultBalance: BigInt(vaultBalance),
        staked: BigInt(staked),
        stakers,
        isFilled,
      },
      vault: watchedHistory(row.vault),
      poolVault: watchedHistory(row.poolVault),
      isUnsettled,
      differences,
    });
  }

  async function fillPrices(source: string, prices: readonly HistoryPoint[]): Promise<boolean> {
    const origin = originOfPrice(source);
    const firstSample = await read((queries) => queries.get(statements.firstSample, origin));
    if (firstSample === null || firstSample.isFilled) return firstSample !== null;
    const past = pastPricePoints(firstSample.at, prices);
    await write((queries) =>
      points.fill(queries, origin, pointsOf({ series: 'price', origin, source }, past)),
    );
    return true;
  }

  const store: BackfillStore = {
    readRange: () => read(readRange),
    eventsAfter: async (accountId, { slot, position, order }, upToSlot) => {
      const parameters = [slot, position, order, upToSlot, EVENTS_PER_READ];
      const rows = await read((queries) => queries.all(events.eventsAfter, accountId, ...parameters));
      return rows.map((row) => ({ ...row, ...totalsFromRow(row), delta: BigInt(row.delta) }));
    },
    storeSeries: ({ vault, staked, stakers }) => {
      const key = { origin: 'chain', source: null } as const;
      const pastPoints = [
        ...pointsOf({ ...key, series: 'vault' }, vault),
        ...pointsOf({ ...key, series: 'staked' }, staked),
        ...(stakers ? pointsOf({ ...key, series: 'stakers' }, stakers) : []),
      ];
      return write(async (queries) => {
        // A commit since the first read may contradict the computed points. If so, nothing is stored, and the next call
        // tries again.
        const currentRange = await readRange(queries);
        if (currentRange === null || currentRange === 'filled') return currentRange === 'filled';
        await points.fill(queries, 'chain', pastPoints);
        return true;
      });
    },
  };

  return async (prices) => {
    const arePricesFilled = prices === undefined || (await fillPrices(prices.source, prices.points));
    return (await fillChainSeries(store)) && arePricesFilled;
  };
}
