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
import { type RunningTotals, stakersIn, transactionEndIndex } from '../rules/running-totals.ts';
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

interface AccountState extends IndexProgress {
  /** Null if the account has no history yet. */
  readonly id: number | null;
  readonly newest: NewestRow | null;
  /** The signatures in the batch that already have a stored final event. */
  readonly stored: readonly string[];
  readonly quarantined: readonly string[];
  readonly provisional: readonly EventRow[];
  /** Whether any stored alarm or quarantined transaction is provisional. */
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
  };
}

/** The key of each signature, used to find its events. */
type SignatureKeys = ReadonlyMap<string, number>;

const keysOf = (transactions: readonly { readonly signature: string }[]): SignatureKeys =>
  new Map(transactions.map(({ signature }) => [signature, transactionKey(signature).signatureKey]));

/**
 * Returns the transactions that have no stored event, without duplicates.
 * @param stored the signatures that have stored events; the function adds those of the returned transactions
 */
function newTransactions(
  events: readonly ChainEvent[],
  stored: Set<string>,
): readonly (readonly ChainEvent[])[] {
  const addedTransactions: (readonly ChainEvent[])[] = [];
  for (let start = 0; start < events.length; ) {
    const end = transactionEndIndex(events, start);
    const parts = events.slice(start, end);
    const signature = parts[0]?.signature ?? '';
    if (!stored.has(signature)) addedTransactions.push(parts);
    stored.add(signature);
    start = end;
  }
  return addedTransactions;
}

/** Each function runs in the caller's transaction. */
export function prepareHistories(db: Database, events: EventRows) {
  const statements = prepareStatements(db);
  const alarms = prepareAlarmRows(db);

  async function readState(queries: Queries, address: string, keys: SignatureKeys): Promise<AccountState> {
    const keyArrays = [textArray([...keys.keys()]), bigintArray([...keys.values()])];
    const state = await queries.get(statements.state, address, ...keyArrays);
    if (state === null) throw new Error('The query for the state of an account returned no row.');
    return state;
  }

  async function addAccount(queries: Queries, address: string): Promise<number> {
    const account = await queries.get(statements.addAccount, address);
    if (account === null) throw new Error('The statement that adds an account returned no row.');
    return account.id;
  }

  async function storeFinal(
    queries: Queries,
    accountId: number,
    { newest, stored }: Pick<AccountState, 'newest' | 'stored'>,
    rows: ReleasedRows,
    keys: SignatureKeys,
  ): Promise<{
    readonly addedTransactions: readonly (readonly ChainEvent[])[];
    readonly totals: RunningTotals;
    readonly newestSlot: number;
    readonly storedSignatures: ReadonlySet<string>;
  }> {
    const storedSignatures = new Set(stored);
    const addedTransactions = newTransactions(rows.events, storedSignatures);
    const accumulator = historyEnd(newest);
    const totals = await events.add(queries, accountId, addedTransactions.flat(), keys, accumulator);
    await alarms.putAlarms(queries, accountId, rows.alarms);
    return { addedTransactions, totals, newestSlot: accumulator.slot, storedSignatures };
  }

  async function storeCounts(
    queries: Queries,
    accountId: number,
    addedTransactions: readonly (readonly ChainEvent[])[],
    { cursorSignature, cursorSlot, caughtUpAt }: IndexProgress,
    beginning: EventBatch['beginning'],
  ): Promise<void> {
    const wallets = new Map<string, number>();
    for (const wallet of addedTransactions.flatMap((parts) => [...stakersIn(parts)])) {
      wallets.set(wallet, (wallets.get(wallet) ?? 0) + 1);
    }
    const { signature = null, slot = null, isProven = null } = beginning ?? {};
    const counts = [[...wallets.keys()], [...wallets.values()], addedTransactions.flat().length];
    const progressValues = [cursorSignature, cursorSlot, caughtUpAt];
    await queries.run(
      statements.storeCounts,
      accountId,
      ...counts,
      ...progressValues,
      signature,
      slot,
      isProven,
    );
  }

  async function storeProvisional(
    queries: Queries,
    accountId: number,
    address: string,
    state: AccountState,
    finalHistory: { readonly totals: RunningTotals; readonly slot: number },
    batch: Pick<EventBatch, 'events' | 'provisional'>,
  ): Promise<void> {
    const storedEvents = state.provisional.map((row) => eventFromRow(row, address, 'confirmed'));
    const provisionalRows = provisionalAfter(batch, storedEvents, finalHistory.slot);
    if (storedEvents.length > 0 || provisionalRows.events.length > 0) {
      await events.replaceProvisional(queries, accountId, provisionalRows.events, finalHistory.totals);
    }
    if (state.hasProvisional)
      await alarms.removeProvisional(queries, accountId, provisionalRows.removedUpToSlot);
    await alarms.putAlarms(queries, accountId, provisionalRows.alarms);
    await alarms.quarantine(queries, accountId, provisionalRows.quarantined, 'confirmed');
  }

  return {
    /** @see IndexWriter.commitEvents */
    async commit(queries: Queries, batch: EventBatch): Promise<void> {
      assertConsistent(batch);
      const { account: address, alarms: batchAlarms = [], quarantined = [], beginning } = batch;
      const keys = keysOf([...batch.events, ...quarantined]);
      const state = await readState(queries, address, keys);
      const accountId = state.id ?? (await addAccount(queries, address));
      const rows = { events: batch.events, alarms: batchAlarms };
      const { addedTransactions, totals, newestSlot, storedSignatures } = await storeFinal(
        queries,
        accountId,
        state,
        rows,
        keys,
      );
      const readSignatures = new Set(batch.events.map(({ signature }) => signature));
      const releasedSignatures = state.quarantined.filter((signature) => readSignatures.has(signature));
      if (releasedSignatures.length > 0) await alarms.release(queries, accountId, releasedSignatures);
      const unstoredTransactions = quarantined.filter(({ signature }) => !storedSignatures.has(signature));
      await alarms.quarantine(queries, accountId, unstoredTransactions, 'finalized');
      const progress = progressAfter(state, batch);
      const finalHistory = { totals, slot: Math.max(progress.cursorSlot ?? -1, newestSlot) };
      await storeProvisional(queries, accountId, address, state, finalHistory, batch);
      await storeCounts(queries, accountId, addedTransactions, progress, beginning);
    },
    /** @see IndexWriter.releaseQuarantined */
    async release(
      queries: Queries,
      transaction: Pick<QuarantinedTransaction, 'signature' | 'account'>,
      rows: ReleasedRows,
    ): Promise<void> {
      assertReleasable(transaction, rows);
      const { signature, account: address } = transaction;
      const keys = keysOf([transaction]);
      const state = await readState(queries, address, keys);
      if (state.id === null || (await alarms.release(queries, state.id, [signature])) === 0) return;
      const { addedTransactions, totals, newestSlot } = await storeFinal(
        queries,
        state.id,
        state,
        rows,
        keys,
      );
      await storeCounts(queries, state.id, addedTransactions, state, undefined);
      const finalHistory = { totals, slot: Math.max(state.cursorSlot ?? -1, newestSlot) };
      await storeProvisional(queries, state.id, address, state, finalHistory, { events: [] });
    },
  };
}
