import type { ChainEvent, QuarantinedTransaction } from '../chain-rows.ts';
import type { EventBatch } from '../ports.ts';
import {
  assertConsistent,
  assertReleasable,
  type IndexProgress,
  progressAfter,
  provisionalAfter,
  type ReleasedRows,
} from '../rules/event-batch.ts';
import { endOfTransaction, type RunningTotals, stakersIn } from '../rules/running-totals.ts';
import { transactionKey } from '../rules/signature-key.ts';
import { prepareAlarmRows } from './alarm-rows.ts';
import { bigintArray, textArray } from './column-arrays.ts';
import type { Database, Queries } from './database.ts';
import {
  EVENT_COLUMNS,
  type EventRow,
  type EventRows,
  eventFromRow,
  historyEnd,
  NEWEST_FIRST,
  type NewestRow,
  TOTALS_COLUMNS,
} from './event-rows.ts';

/** The stored state that determines how a batch is written. */
interface AccountState extends IndexProgress {
  /** Null if the account has no history yet. */
  readonly id: number | null;
  readonly newest: NewestRow | null;
  /** The signatures in the batch that already have a stored final event. */
  readonly stored: readonly string[];
  readonly quarantined: readonly string[];
  readonly provisional: readonly EventRow[];
  /** Whether there are provisional alarms or quarantined transactions. */
  readonly hasProvisional: boolean;
}

function prepareStatements({ statement }: Database) {
  return {
    // The lateral join makes the server look up each signature in the index.
    state: statement<AccountState>(`
      select account.id, account."cursorSignature", account."cursorSlot", account."caughtUpAt",
        (select row_to_json(newest) from (
          select slot, position, ${TOTALS_COLUMNS} from $.events where "accountId" = account.id
          order by ${NEWEST_FIRST} limit 1) newest) as newest,
        array(select wanted.signature from unnest($2::text[], $3::bigint[]) as wanted (signature, key)
          cross join lateral (
            select from $.events event where event."signatureKey" = wanted.key and event."accountId" = account.id
              and event.signature = wanted.signature limit 1) found) as stored,
        array(select signature from $.quarantined where "accountId" = account.id) as quarantined,
        (select coalesce(json_agg(event order by id), '[]') from (
          select ${EVENT_COLUMNS} from $.provisional_events where "accountId" = account.id) event) as provisional,
        exists (select from $.alarms where "accountId" = account.id and status = 'confirmed')
          or exists (select from $.quarantined where "accountId" = account.id and status = 'confirmed') as "hasProvisional"
      from (values (1)) as always left join $.accounts account on account.address = $1`),
    addAccount: statement<{ id: number }>('insert into $.accounts (address) values ($1) returning id'),
    storeCounts: statement(`
      with counted as (
        insert into $.wallet_activity as activity (wallet, transactions)
        select * from unnest($2::text[], $3::bigint[]) as added (wallet, transactions) order by wallet
        on conflict (wallet) do update set transactions = activity.transactions + excluded.transactions)
      update $.accounts set "eventCount" = "eventCount" + $4,
        "cursorSignature" = $5, "cursorSlot" = $6, "caughtUpAt" = $7, "oldestSignature" = coalesce($8, "oldestSignature"),
        "oldestSlot" = coalesce($9, "oldestSlot"), "hasBeginning" = coalesce($10, "hasBeginning")
      where id = $1`),
    restart: statement(`
      update $.accounts set "cursorSignature" = null, "cursorSlot" = null, "caughtUpAt" = null where address = $1`),
  };
}

/** The key of each signature, by which its events are found. */
type SignatureKeys = ReadonlyMap<string, number>;

const keysOf = (transactions: readonly { readonly signature: string }[]): SignatureKeys =>
  new Map(transactions.map(({ signature }) => [signature, transactionKey(signature).signatureKey]));

/**
 * The transactions that have no stored event, each once.
 * @param stored the signatures with stored events; the signatures of the new transactions are added
 */
function newTransactions(
  events: readonly ChainEvent[],
  stored: Set<string>,
): readonly (readonly ChainEvent[])[] {
  const added: (readonly ChainEvent[])[] = [];
  for (let start = 0; start < events.length; ) {
    const end = endOfTransaction(events, start);
    const parts = events.slice(start, end);
    const signature = parts[0]?.signature ?? '';
    if (!stored.has(signature)) added.push(parts);
    stored.add(signature);
    start = end;
  }
  return added;
}

/** Prepares functions that write the histories of the watched accounts. Each function runs in a transaction. */
export function prepareHistories(db: Database, events: EventRows) {
  const statements = prepareStatements(db);
  const alarms = prepareAlarmRows(db);

  async function readState(on: Queries, address: string, keys: SignatureKeys): Promise<AccountState> {
    const wanted = [textArray([...keys.keys()]), bigintArray([...keys.values()])];
    const state = await on.get(statements.state, address, ...wanted);
    if (state === null) throw new Error('The state of an account has no row.');
    return state;
  }

  async function addAccount(on: Queries, address: string): Promise<number> {
    const account = await on.get(statements.addAccount, address);
    if (account === null) throw new Error('A new account has no row.');
    return account.id;
  }

  /** Stores final events and alarms. */
  async function storeFinal(
    on: Queries,
    accountId: number,
    { newest, stored }: Pick<AccountState, 'newest' | 'stored'>,
    rows: ReleasedRows,
    keys: SignatureKeys,
  ): Promise<{
    readonly added: readonly (readonly ChainEvent[])[];
    readonly totals: RunningTotals;
    readonly newestSlot: number;
    readonly known: ReadonlySet<string>;
  }> {
    const known = new Set(stored);
    const added = newTransactions(rows.events, known);
    const end = historyEnd(newest);
    const totals = await events.add(on, accountId, added.flat(), keys, end);
    await alarms.putAlarms(on, accountId, rows.alarms);
    return { added, totals, newestSlot: end.slot, known };
  }

  /** Stores the counts that new transactions change, the account's cursor, and its beginning if it is given. */
  async function count(
    on: Queries,
    accountId: number,
    added: readonly (readonly ChainEvent[])[],
    { cursorSignature, cursorSlot, caughtUpAt }: IndexProgress,
    beginning: EventBatch['beginning'],
  ): Promise<void> {
    const wallets = new Map<string, number>();
    for (const wallet of added.flatMap((parts) => [...stakersIn(parts)])) {
      wallets.set(wallet, (wallets.get(wallet) ?? 0) + 1);
    }
    const { signature = null, slot = null, isProved = null } = beginning ?? {};
    const counts = [[...wallets.keys()], [...wallets.values()], added.flat().length];
    const reached = [cursorSignature, cursorSlot, caughtUpAt];
    await on.run(statements.storeCounts, accountId, ...counts, ...reached, signature, slot, isProved);
  }

  async function storeProvisional(
    on: Queries,
    accountId: number,
    address: string,
    state: AccountState,
    final: { readonly totals: RunningTotals; readonly slot: number },
    batch: Pick<EventBatch, 'events' | 'provisional'>,
  ): Promise<void> {
    const stored = state.provisional.map((row) => eventFromRow(row, address, 'confirmed'));
    const after = provisionalAfter(batch, stored, final.slot);
    if (stored.length > 0 || after.events.length > 0) {
      await events.replaceProvisional(on, accountId, after.events, final.totals);
    }
    if (state.hasProvisional) await alarms.removeProvisional(on, accountId, after.removedUpTo);
    await alarms.putAlarms(on, accountId, after.alarms);
    await alarms.quarantine(on, accountId, after.quarantined, 'confirmed');
  }

  return {
    /** @see IndexWriter.commitEvents */
    async commit(on: Queries, batch: EventBatch): Promise<void> {
      assertConsistent(batch);
      const { account: address, alarms: raised = [], quarantined = [], beginning } = batch;
      const keys = keysOf([...batch.events, ...quarantined]);
      const state = await readState(on, address, keys);
      const accountId = state.id ?? (await addAccount(on, address));
      const rows = { events: batch.events, alarms: raised };
      const { added, totals, newestSlot, known } = await storeFinal(on, accountId, state, rows, keys);
      const read = new Set(batch.events.map(({ signature }) => signature));
      const released = state.quarantined.filter((signature) => read.has(signature));
      if (released.length > 0) await alarms.release(on, accountId, released);
      const unstored = quarantined.filter(({ signature }) => !known.has(signature));
      await alarms.quarantine(on, accountId, unstored, 'finalized');
      const reached = progressAfter(state, batch);
      const final = { totals, slot: Math.max(reached.cursorSlot ?? -1, newestSlot) };
      await storeProvisional(on, accountId, address, state, final, batch);
      await count(on, accountId, added, reached, beginning);
    },
    /** @see IndexWriter.restartHistory */
    async restart(on: Queries, address: string): Promise<void> {
      await on.run(statements.restart, address);
    },
    /** @see IndexWriter.releaseQuarantined */
    async release(
      on: Queries,
      transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
      rows: ReleasedRows,
    ): Promise<void> {
      assertReleasable(transaction, rows);
      const { signature, account: address } = transaction;
      const keys = keysOf([transaction]);
      const state = await readState(on, address, keys);
      if (state.id === null || (await alarms.release(on, state.id, [signature])) === 0) return;
      const { added, totals, newestSlot } = await storeFinal(on, state.id, state, rows, keys);
      await count(on, state.id, added, state, undefined);
      const final = { totals, slot: Math.max(state.cursorSlot ?? -1, newestSlot) };
      await storeProvisional(on, state.id, address, state, final, { events: [] });
    },
  };
}
