import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainEvent } from '../chain-rows.ts';
import {
  HistoryEnd,
  isSameTotals,
  NO_HISTORY,
  type RunningTotals,
  totalsAfter,
} from '../rules/running-totals.ts';
import { keyOf } from '../rules/signature-key.ts';
import type { Database, Queries, Value } from './database.ts';

/** Totals as they are stored: amounts as text. */
export interface TotalsRow extends Pick<RunningTotals, 'historyTime' | 'movements'> {
  readonly totalIn: string;
  readonly totalOut: string;
  readonly staked: string;
  readonly unstaked: string;
}

/** A stored event without its account. */
export interface EventRow extends Omit<ChainEvent, 'account' | 'delta' | 'status'> {
  readonly id: number;
  readonly delta: string;
}

/** The newest stored event of an account. */
export type NewestRow = TotalsRow & Pick<ChainEvent, 'slot' | 'position'>;

export const NEWEST_FIRST = 'slot desc, position desc, id desc';
export const EVENT_COLUMNS =
  'id, signature, slot, position, part, "blockTime", kind, wallet, delta, "stakeEntry"';

export function totalsOf({
  historyTime,
  totalIn,
  totalOut,
  movements,
  staked,
  unstaked,
}: TotalsRow): RunningTotals {
  return {
    historyTime,
    totalIn: BigInt(totalIn),
    totalOut: BigInt(totalOut),
    movements,
    staked: BigInt(staked),
    unstaked: BigInt(unstaked),
  };
}

export const historyEnd = (newest: NewestRow | null) =>
  new HistoryEnd(newest && { ...totalsOf(newest), slot: newest.slot, position: newest.position });

/** An event of an account. @param status of its table */
export function eventOf<Status extends EventStatus>(
  row: EventRow,
  account: string,
  status: Status,
): ChainEvent {
  const { signature, slot, position, part, blockTime, kind, wallet, delta, stakeEntry } = row;
  const moved = { kind, wallet, delta: BigInt(delta), stakeEntry };
  return { signature, account, slot, position, part, blockTime, ...moved, status };
}

/**
 * Selects the first rows of the final and the provisional events together. Each table is limited for itself, so that both use
 * their indexes.
 * @param columns with those of the order
 */
export function firstOfBoth(columns: string, condition: string, limit: string, order = NEWEST_FIRST): string {
  const from = (table: string, status: EventStatus) =>
    `(select ${columns}, '${status}' as status from $.${table} where ${condition} order by ${order} limit ${limit})`;
  return `select * from (${from('events', 'finalized')} union all ${from('provisional_events', 'confirmed')}) as either
    order by ${order} limit ${limit}`;
}

/** The columns that are written, with their types. */
const TOTALS = {
  historyTime: 'bigint',
  totalIn: 'text',
  totalOut: 'text',
  movements: 'bigint',
  staked: 'text',
  unstaked: 'text',
} as const;
const WRITTEN = {
  signature: 'text',
  slot: 'bigint',
  position: 'bigint',
  part: 'bigint',
  blockTime: 'bigint',
  kind: 'text',
  wallet: 'text',
  delta: 'text',
  stakeEntry: 'text',
  ...TOTALS,
} as const;
const CORRECTED = { id: 'bigint', ...TOTALS } as const;

const namesOf = (columns: object) => Object.keys(columns).map((name) => `"${name}"`);
const listOf = (columns: object) => namesOf(columns).join(', ');
export const TOTALS_COLUMNS = listOf(TOTALS);

/** `unnest` of one array a column, from a parameter on. */
function unnested(columns: Readonly<Record<string, string>>, from: number): string {
  const arrays = Object.values(columns).map((type, index) => `$${from + index}::${type}[]`);
  return `unnest(${arrays.join(', ')})`;
}

type WrittenRow = Omit<EventRow, 'id'> & TotalsRow;

const writtenRow = ({ delta, ...event }: ChainEvent, totals: RunningTotals): WrittenRow => ({
  ...event,
  delta: delta.toString(),
  ...totalsRow(totals),
});

function totalsRow({
  historyTime,
  totalIn,
  totalOut,
  movements,
  staked,
  unstaked,
}: RunningTotals): TotalsRow {
  const amounts = {
    totalIn: `${totalIn}`,
    totalOut: `${totalOut}`,
    staked: `${staked}`,
    unstaked: `${unstaked}`,
  };
  return { historyTime, movements, ...amounts };
}

const valuesOf = <Row extends object>(
  rows: readonly Row[],
  columns: Partial<Record<keyof Row, string>>,
): Value[] => (Object.keys(columns) as (keyof Row)[]).map((name) => rows.map((row) => row[name] as Value));

/** How many rows a query reads, so that a long history is never in memory as a whole. */
const ROWS_PER_READ = 4_000;
/** The id of the first provisional event. */
const PROVISIONAL_IDS = '4503599627370496';

export function prepareEventRows({ statement }: Database) {
  const newest = (condition: string) =>
    statement<NewestRow>(`
      select slot, position, ${TOTALS_COLUMNS} from $.events where "accountId" = $1 ${condition}
      order by ${NEWEST_FIRST} limit 1`);
  const rows = {
    newestBefore: newest('and slot < $2'),
    newestUpTo: newest('and slot <= $2'),
    after: statement<Omit<EventRow, 'part'> & TotalsRow>(`
      select ${EVENT_COLUMNS}, ${TOTALS_COLUMNS} from $.events
      where "accountId" = $1 and (slot, position, id) > ($2, $3, $4) and slot <= $5
      order by slot, position, id limit $6`),
    add: statement(`
      insert into $.events ("accountId", "signatureKey", ${listOf(WRITTEN)})
      select $1, "signatureKey", ${listOf(WRITTEN)}
      from ${unnested({ signatureKey: 'bigint', ...WRITTEN }, 2)} with ordinality as added ("signatureKey", ${listOf(WRITTEN)}, place)
      order by place`),
    setTotals: statement(`
      update $.events event set ${namesOf(TOTALS)
        .map((name) => `${name} = corrected.${name}`)
        .join(', ')}
      from ${unnested(CORRECTED, 1)} as corrected (${listOf(CORRECTED)}) where event.id = corrected.id`),
    removeProvisional: statement('delete from $.provisional_events where "accountId" = $1'),
    addProvisional: statement(`
      insert into $.provisional_events (id, "accountId", ${listOf(WRITTEN)})
      select (select coalesce(max(id), ${PROVISIONAL_IDS}) from $.provisional_events) + place, $1, ${listOf(WRITTEN)}
      from ${unnested(WRITTEN, 2)} with ordinality as added (${listOf(WRITTEN)}, place)`),
  };

  /** Corrects an account's running totals from a slot on. @returns the totals of all events */
  async function correctTotals(on: Queries, accountId: number, fromSlot: number): Promise<RunningTotals> {
    const before = await on.get(rows.newestBefore, accountId, fromSlot);
    let totals = before ? totalsOf(before) : NO_HISTORY;
    let after: readonly [number, number, number] = [fromSlot, -1, -1];
    for (;;) {
      const read = await on.all(rows.after, accountId, ...after, Number.MAX_SAFE_INTEGER, ROWS_PER_READ);
      const wrong: (TotalsRow & { id: number })[] = [];
      for (const stored of read) {
        totals = totalsAfter(totals, { ...stored, delta: BigInt(stored.delta) });
        if (!isSameTotals(totals, totalsOf(stored))) wrong.push({ id: stored.id, ...totalsRow(totals) });
      }
      if (wrong.length > 0) await on.run(rows.setTotals, ...valuesOf(wrong, CORRECTED));
      const last = read.at(-1);
      if (last === undefined || read.length < ROWS_PER_READ) return totals;
      after = [last.slot, last.position, last.id];
    }
  }

  return {
    /** The newest final event up to and including a slot. */
    newestUpTo: rows.newestUpTo,
    /** The final events of an account after a place and up to a slot, oldest first. */
    after: rows.after,
    /**
     * Adds final events, none of which is stored. Nearly all follow the stored ones. If one precedes them, the totals after it are
     * corrected.
     * @returns the totals of all final events
     */
    async add(
      on: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      end: HistoryEnd,
    ): Promise<RunningTotals> {
      if (events.length === 0) return end.totals;
      const added = events.map((event) => writtenRow(event, end.add(event)));
      const keys = events.map(({ signature }) => keyOf(signature).signatureKey);
      await on.run(rows.add, accountId, keys, ...valuesOf(added, WRITTEN));
      return end.wrongFrom === null ? end.totals : correctTotals(on, accountId, end.wrongFrom);
    },
    /** Replaces an account's provisional events. Their totals continue those of the final ones. */
    async replaceProvisional(
      on: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      final: RunningTotals,
    ): Promise<void> {
      await on.run(rows.removeProvisional, accountId);
      if (events.length === 0) return;
      let totals = final;
      const oldestFirst = events.toSorted(
        (one, other) => one.slot - other.slot || one.position - other.position,
      );
      const added = oldestFirst.map((event) => {
        totals = totalsAfter(totals, event);
        return writtenRow(event, totals);
      });
      await on.run(rows.addProvisional, accountId, ...valuesOf(added, WRITTEN));
    },
  };
}
export type EventRows = ReturnType<typeof prepareEventRows>;
