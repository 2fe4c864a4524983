import type { EventStatus } from '../../model/chain-events.ts';
import type { ChainEvent } from '../chain-rows.ts';
import {
  HistoryEnd,
  isSameTotals,
  NO_HISTORY,
  type RunningTotals,
  totalsAfter,
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
  new HistoryEnd(newest && { ...totalsFromRow(newest), slot: newest.slot, position: newest.position });

/** Builds an event of an account from its row. @param status the status of the events in the row's table */
export function eventFromRow<Status extends EventStatus>(
  row: EventRow,
  account: string,
  status: Status,
): ChainEvent {
  const { signature, slot, position, part, blockTime, kind, wallet, delta, stakeEntry } = row;
  const moved = { kind, wallet, delta: BigInt(delta), stakeEntry };
  return { signature, account, slot, position, part, blockTime, ...moved, status };
}

/**
 * Selects the first rows of the final and the provisional events together. Each table is limited separately, so that both use
 * their indexes.
 * @param columns includes the columns of the order
 */
export function firstOfBoth(columns: string, condition: string, limit: string, order = NEWEST_FIRST): string {
  const from = (table: string, status: EventStatus) =>
    `(select ${columns}, '${status}' as status from $.${table} where ${condition} order by ${order} limit ${limit})`;
  return `select * from (${from('events', 'finalized')} union all ${from('provisional_events', 'confirmed')}) as either
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

/** An event to write. */
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

/** A stored event whose totals are wrong, and the correct totals. */
interface CorrectedEvent {
  readonly id: number;
  readonly totals: RunningTotals;
}

const CORRECTED: Columns<CorrectedEvent> = {
  id: { type: 'bigint', of: ({ id }) => id },
  ...innerColumns(TOTALS, ({ totals }: CorrectedEvent) => totals),
};

/** How many rows a query reads, so that a long history is never in memory as a whole. */
const ROWS_PER_READ = 4_000;
/** How many rows a statement adds. The arrays of the next rows are built while the server stores these rows. */
const ROWS_PER_WRITE = 1_000;
/** The id of the first provisional event. */
const PROVISIONAL_IDS = '4503599627370496';

export function prepareEventRows({ statement }: Database) {
  const newest = (condition: string) =>
    statement<NewestRow>(`
      select slot, position, ${TOTALS_COLUMNS} from $.events where "accountId" = $1 ${condition}
      order by ${NEWEST_FIRST} limit 1`);
  const statements = {
    newestBefore: newest('and slot < $2'),
    newestUpTo: newest('and slot <= $2'),
    after: statement<Omit<EventRow, 'part'> & TotalsRow>(`
      select ${EVENT_COLUMNS}, ${TOTALS_COLUMNS} from $.events
      where "accountId" = $1 and (slot, position, id) > ($2, $3, $4) and slot <= $5
      order by slot, position, id limit $6`),
    // In the select list, the arrays are read row by row. In `from`, the server would first store each as a table.
    add: statement(`
      insert into $.events ("accountId", "signatureKey", ${quotedNameList(ADDED_COLUMNS)})
      select $1, unnest($2::bigint[]), ${unnestSql(ADDED_COLUMNS, 3)}`),
    setTotals: statement(`
      update $.events event set ${quotedNames(TOTALS)
        .map((name) => `${name} = corrected.${name}`)
        .join(', ')}
      from unnest(${arrayParameters(CORRECTED, 1)}) as corrected (${quotedNameList(CORRECTED)}) where event.id = corrected.id`),
    removeProvisional: statement('delete from $.provisional_events where "accountId" = $1'),
    addProvisional: statement(`
      insert into $.provisional_events (id, "accountId", ${quotedNameList(ADDED_COLUMNS)})
      select (select coalesce(max(id), ${PROVISIONAL_IDS}) from $.provisional_events) + ordinal, $1, ${quotedNameList(ADDED_COLUMNS)}
      from unnest(${arrayParameters(ADDED_COLUMNS, 2)}) with ordinality as added (${quotedNameList(ADDED_COLUMNS)}, ordinal)`),
  };

  /** Corrects an account's running totals from a slot on. @returns the totals of all events */
  async function correctTotals(on: Queries, accountId: number, fromSlot: number): Promise<RunningTotals> {
    const before = await on.get(statements.newestBefore, accountId, fromSlot);
    let totals = before ? totalsFromRow(before) : NO_HISTORY;
    let after: readonly [number, number, number] = [fromSlot, -1, -1];
    for (;;) {
      const read = await on.all(
        statements.after,
        accountId,
        ...after,
        Number.MAX_SAFE_INTEGER,
        ROWS_PER_READ,
      );
      const corrections: CorrectedEvent[] = [];
      for (const stored of read) {
        totals = totalsAfter(totals, { ...stored, delta: BigInt(stored.delta) });
        if (!isSameTotals(totals, totalsFromRow(stored))) corrections.push({ id: stored.id, totals });
      }
      if (corrections.length > 0) await on.run(statements.setTotals, ...columnArrays(CORRECTED, corrections));
      const last = read.at(-1);
      if (last === undefined || read.length < ROWS_PER_READ) return totals;
      after = [last.slot, last.position, last.id];
    }
  }

  return {
    /** The newest final event up to and including a slot. */
    newestUpTo: statements.newestUpTo,
    /** The final events of an account after a cursor and up to a slot, oldest first. */
    after: statements.after,
    /**
     * Adds final events, none of which is stored. Nearly all events follow the stored ones. If an event precedes stored ones, the
     * totals after it are corrected.
     * @param keys the keys by which the signatures are found
     * @returns the totals of all final events
     */
    async add(
      on: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      keys: ReadonlyMap<string, number>,
      end: HistoryEnd,
    ): Promise<RunningTotals> {
      let storing: Promise<unknown> = Promise.resolve();
      for (let start = 0; start < events.length; start += ROWS_PER_WRITE) {
        const chunk = events.slice(start, start + ROWS_PER_WRITE);
        const added = chunk.map((event) => ({ event, totals: end.add(event) }));
        const eventKeys = bigintArray(chunk.map(({ signature }) => keys.get(signature) ?? null));
        const arrays = columnArrays(ADDED_COLUMNS, added);
        await storing;
        storing = on.run(statements.add, accountId, eventKeys, ...arrays);
      }
      await storing;
      return end.wrongFrom === null ? end.totals : correctTotals(on, accountId, end.wrongFrom);
    },
    /** Replaces an account's provisional events. Their totals continue the totals of the final events. */
    async replaceProvisional(
      on: Queries,
      accountId: number,
      events: readonly ChainEvent[],
      final: RunningTotals,
    ): Promise<void> {
      await on.run(statements.removeProvisional, accountId);
      if (events.length === 0) return;
      let totals = final;
      const oldestFirst = events.toSorted(
        (one, other) => one.slot - other.slot || one.position - other.position,
      );
      const added = oldestFirst.map((event) => {
        totals = totalsAfter(totals, event);
        return { event, totals };
      });
      await on.run(statements.addProvisional, accountId, ...columnArrays(ADDED_COLUMNS, added));
    },
  };
}
export type EventRows = ReturnType<typeof prepareEventRows>;
