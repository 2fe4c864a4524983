import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainEvent } from '../chain-rows.ts';
import {
  isSameTotals,
  type RunningTotals,
  TotalsAccumulator,
  totalsAfter,
  ZERO_TOTALS,
} from '../rules/running-totals.ts';
import {
  arrayParameters,
  bigintArray,
  type Columns,
  columnArrays,
  innerColumns,
  quotedNameList,
  quotedNames,
  unnestSql,
} from './column-arrays.ts';
import type { Database, Queries } from './database.ts';

export interface TotalsRow extends Pick<RunningTotals, 'historyTime' | 'movements'> {
  readonly totalIn: string;
  readonly totalOut: string;
  readonly staked: string;
  readonly unstaked: string;
}

export interface EventRow extends Omit<ChainEvent, 'account' | 'delta' | 'status'> {
  readonly id: number;
  readonly delta: string;
}

export type NewestRow = TotalsRow & Pick<ChainEvent, 'slot' | 'position'>;

export const NEWEST_FIRST = 'slot desc, position desc, id desc';
export const EVENT_COLUMNS =
  'id, signature, slot, position, part, "blockTime", kind, wallet, delta, "stakeEntry"';

export function totalsFromRow({
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
  new TotalsAccumulator(newest && { ...totalsFromRow(newest), slot: newest.slot, position: newest.position });

/** @param status the status of the events in the row's table */
export function eventFromRow<Status extends EventStatus>(
  row: EventRow,
  account: string,
  status: Status,
): ChainEvent {
  const { signature, slot, position, part, blockTime, kind, wallet, delta, stakeEntry } = row;
  const movement = { kind, wallet, delta: BigInt(delta), stakeEntry };
  return { signature, account, slot, position, part, blockTime, ...movement, status };
}

/**
 * Selects the first rows among the final and the provisional events. Each table is sorted and limited separately, so
 * that the server reads both through an index.
 * @param columns must include the columns in `order`
 */
export function firstEventsSql(
  columns: string,
  condition: string,
  limit: string,
  order = NEWEST_FIRST,
): string {
  const selectFrom = (table: string, status: EventStatus) =>
    `(select ${columns}, '${status}' as status from $.${table} where ${condition} order by ${order} limit ${limit})`;
  return `select * from (${selectFrom('events', 'finalized')} union all ${selectFrom('provisional_events', 'confirmed')}) as either
    order by ${order} limit ${limit}`;
}

const TOTALS: Columns<RunningTotals> = {
  historyTime: { type: 'bigint', of: ({ historyTime }) => historyTime },
  totalIn: { type: 'text', of: ({ totalIn }) => totalIn },
  totalOut: { type: 'text', of: ({ totalOut }) => totalOut },
  movements: { type: 'bigint', of: ({ movements }) => movements },
  staked: { type: 'text', of: ({ staked }) => staked },
  unstaked: { type: 'text', of: ({ unstaked }) => unstaked },
};
export const TOTALS_COLUMNS = quotedNameList(TOTALS);

interface AddedEvent {
  readonly event: ChainEvent;
  readonly totals: RunningTotals;
}

const ADDED_COLUMNS: Columns<AddedEvent> = {
  signature: { type: 'text', of: ({ event }) => event.signature },
  slot: { type: 'bigint', of: ({ event }) => event.slot },
  position: { type: 'bigint', of: ({ event }) => event.position },
  part: { type: 'bigint', of: ({ event }) => event.part },
  blockTime: { type: 'bigint', of: ({ event }) => event.blockTime },
  kind: { type: 'text', of: ({ event }) => event.kind },
  wallet: { type: 'text', of: ({ event }) => event.wallet },
  delta: { type: 'text', of: ({ event }) => event.delta },
  stakeEntry: { type: 'text', of: ({ event }) => event.stakeEntry },
  ...innerColumns(TOTALS, ({ totals }: AddedEvent) => totals),
};

interface CorrectedEvent {
  readonly id: number;
  readonly totals: RunningTotals;
}

const CORRECTION_COLUMNS: Columns<CorrectedEvent> = {
  id: { type: 'bigint', of: ({ id }) => id },
  ...innerColumns(TOTALS, ({ totals }: CorrectedEvent) => totals),
};

/** How many rows a query reads. Limited, so that a long history is never completely in memory. */
const ROWS_PER_READ = 4_000;
/** How many rows a statement adds. While the server stores them, the program builds the arrays of the next rows. */
const ROWS_PER_WRITE = 1_000;
const FIRST_PROVISIONAL_ID = '4503599627370496';

export function prepareEventRows({ statement }: Database) {
  const selectNewest = (condition: string) =>
    statement<NewestRow>(`
      select slot, position, ${TOTALS_COLUMNS} from $.events where "accountId" = $1 ${condition}
      order by ${NEWEST_FIRST} limit 1`);
  const statements = {
    newestBefore: selectNewest('and slot < $2'),
    newestUpTo: selectNewest('and slot <= $2'),
    eventsAfter: statement<Omit<EventRow, 'part'> & TotalsRow>(`
      select ${EVENT_COLUMNS}, ${TOTALS_COLUMNS} from $.events
      where "accountId" = $1 and (slot, position, id) > ($2, $3, $4) and slot <= $5
      order by slot, position, id limit $6`),
    // `unnest` in the select list reads the arrays row by row. In `from`, the server would first store each array as a
    // table.
    add: statement(`
      insert into $.events ("accountId", "signatureKey", ${quotedNameList(ADDED_COLUMNS)})
      select $1, unnest($2::bigint[]), ${unnestSql(ADDED_COLUMNS, 3)}`),
    setTotals: statement(`
      update $.events event set ${quotedNames(TOTALS)
        .map((name) => `${name} = corrected.${name}`)
        .join(', ')}
      from unnest(${arrayParameters(CORRECTION_COLUMNS, 1)}) as corrected (${quotedNameList(CORRECTION_COLUMNS)}) where event.id = corrected.id`),
    removeProvisional: statement('delete from $.provisional_events where "accountId" = $1'),
    addProvisional: statement(`
      insert into $.provisional_events (id, "accountId", ${quotedNameList(ADDED_COLUMNS)})
      select (select coalesce(max(id), ${FIRST_PROVISIONAL_ID}) from $.provisional_events) + ordinal, $1, ${quotedNameList(ADDED_COLUMNS)}
      from unnest(${arrayParameters(ADDED_COLUMNS, 2)}) with ordinality as added (${quotedNameList(ADDED_COLUMNS)}, ordinal)`),
  };

  /** Corrects the stored totals of the events from a slot on. @returns the totals after the last event */
  async function correctTotals(
    queries: Queries,
    accountId: number,
    fromSlot: number,
  ): Promise<RunningTotals> {
    const previousRow = await queries.get(statements.newestBefore, accountId, fromSlot);
    let totals = previousRow ? totalsFromRow(previousRow) : ZERO_TOTALS;
    let cursor: readonly [number, number, number] = [fromSlot, -1, -1];
    for (;;) {
      const rows = await queries.all(
        statements.eventsAfter,
        accountId,
        ...cursor,
        Number.MAX_SAFE_INTEGER,
        ROWS_PER_READ,
      );
      const corrections: CorrectedEvent[] = [];
      for (const row of rows) {
        totals = totalsAfter(totals, { ...row, delta: BigInt(row.delta) });
        if (!isSameTotals(totals, totalsFromRow(row))) corrections.push({ id: row.id, totals });
      }
      if (corrections.length > 0)
        await queries.run(statements.setTotals, ...columnArrays(CORRECTION_COLUMNS, corrections));
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_READ) return totals;
      cursor = [last.slot, last.position, last.id];
    }
  }

  return {
    newestUpTo: statements.newestUpTo,
    eventsAfter: statements.eventsAfter,
    /**
     * Adds final events that are not stored yet. Nearly all of them follow the stored events. If one precedes a stored event,
     * the totals after it are corrected.
     * @param keys the key of each signature
     * @returns the totals of all final events
     */
    async add(
      queries: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      keys: ReadonlyMap<string, number>,
      accumulator: TotalsAccumulator,
    ): Promise<RunningTotals> {
      let pendingWrite: Promise<unknown> = Promise.resolve();
      for (let start = 0; start < events.length; start += ROWS_PER_WRITE) {
        const chunk = events.slice(start, start + ROWS_PER_WRITE);
        const addedEvents = chunk.map((event) => ({ event, totals: accumulator.add(event) }));
        const eventKeys = bigintArray(chunk.map(({ signature }) => keys.get(signature) ?? null));
        const arrays = columnArrays(ADDED_COLUMNS, addedEvents);
        await pendingWrite;
        pendingWrite = queries.run(statements.add, accountId, eventKeys, ...arrays);
      }
      await pendingWrite;
      const { totals, wrongFromSlot } = accumulator;
      return wrongFromSlot === null ? totals : correctTotals(queries, accountId, wrongFromSlot);
    },
    /** Replaces an account's provisional events. Their totals continue those of the final events. */
    async replaceProvisional(
      queries: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      finalTotals: RunningTotals,
    ): Promise<void> {
      await queries.run(statements.removeProvisional, accountId);
      if (events.length === 0) return;
      let totals = finalTotals;
      const oldestFirst = events.toSorted(
        (one, other) => one.slot - other.slot || one.position - other.position,
      );
      const addedEvents = oldestFirst.map((event) => {
        totals = totalsAfter(totals, event);
        return { event, totals };
      });
      await queries.run(statements.addProvisional, accountId, ...columnArrays(ADDED_COLUMNS, addedEvents));
    },
  };
}
export type EventRows = ReturnType<typeof prepareEventRows>;
