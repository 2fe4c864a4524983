import type { IndexWriter } from '../ports.ts';
import { assertSameIdentity, notClaimedError } from '../rules/index-identity.ts';
import { NO_HISTORY } from '../rules/running-totals.ts';
import type { Database, DatabaseSettings, Queries } from './database.ts';
import { prepareHistories } from './event-history.ts';
import { prepareEventRows, totalsFromRow } from './event-rows.ts';
import { prepareHistoryFiller } from './history-fill.ts';
import { preparePointRows } from './history-points.ts';
import { becomeWriter } from './index-transactions.ts';
import { openPart } from './open-part.ts';
import { prepareSnapshotRows } from './snapshot-rows.ts';

interface AccountRow {
  readonly id: number;
  readonly cursorSignature: string | null;
  readonly cursorSlot: number | null;
  readonly oldestSignature: string | null;
  readonly oldestSlot: number | null;
  readonly hasBeginning: boolean;
}

function prepareStatements({ statement }: Database) {
  return {
    account: statement<AccountRow>(`
      select id, "cursorSignature", "cursorSlot", "oldestSignature", "oldestSlot", "hasBeginning"
      from $.accounts where address = $1`),
    quarantined: statement<Awaited<ReturnType<IndexWriter['quarantined']>>[number]>(`
      select signature, account.address as account, slot, position, "blockTime", reason, since
      from $.quarantined join $.accounts account on account.id = "accountId"
      where status = 'finalized' order by slot, position, account.address, signature`),
  };
}

/**
 * Opens the index in a schema of the database for writing, and creates or migrates its tables. Writers with a lower fence can no
 * longer commit: their calls throw `LeaseLostError`.
 * @param fence the fence of the program's lease
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program.
 * @throws {LeaseLostError} when there is a writer with a higher fence
 */
export async function openIndexWriter(settings: DatabaseSettings, fence: number): Promise<IndexWriter> {
  const db = await openPart({ ...settings, poolSize: 1 }, 'index');
  const transactions = await becomeWriter(db, fence).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const { read, write } = transactions;
  const name = `The schema "${settings.schema}" of the database`;
  const statements = prepareStatements(db);
  const snapshots = prepareSnapshotRows(db);
  const points = preparePointRows(db);
  const events = prepareEventRows(db);
  const histories = prepareHistories(db, events);
  let isClaimed = false;
  const assertClaimed = async (on: Queries): Promise<void> => {
    isClaimed ||= (await snapshots.identity(on)) !== null;
    if (!isClaimed) throw notClaimedError(name);
  };

  return {
    claim: (identity) =>
      write(async (on) => {
        const stored = await snapshots.identity(on);
        if (stored === null) await snapshots.claim(on, identity);
        else assertSameIdentity(stored, identity, { name, other: 'DATABASE_SCHEMA to another schema' });
      }),
    cursor: (address) =>
      read(async (on) => {
        const { cursorSignature: signature, cursorSlot: slot } =
          (await on.get(statements.account, address)) ?? {};
        return signature == null || slot == null ? null : { account: address, signature, slot };
      }),
    beginning: (address) =>
      read(async (on) => {
        const account = await on.get(statements.account, address);
        if (!account || account.oldestSignature === null || account.oldestSlot === null) return null;
        const { oldestSignature: signature, oldestSlot: slot, hasBeginning: isProved } = account;
        return { signature, slot, isProved };
      }),
    commitEvents: (batch) =>
      write(async (on) => {
        await assertClaimed(on);
        await histories.commit(on, batch);
      }),
    restartHistory: (address) => write((on) => histories.restart(on, address)),
    quarantined: () => read((on) => on.all(statements.quarantined)),
    releaseQuarantined: (transaction, rows) => write((on) => histories.release(on, transaction, rows)),
    commitSnapshot: (snapshot) =>
      write(async (on) => {
        await assertClaimed(on);
        const replaced = await snapshots.replaceSnapshot(on, snapshot);
        if (replaced !== null) await points.sampleSnapshot(on, snapshot, replaced.stakers);
      }),
    commitQuote: (quote) =>
      write(async (on) => {
        if (await snapshots.replaceQuote(on, quote, Date.now())) await points.sampleQuote(on, quote);
      }),
    commitHolders: (holders) =>
      write(async (on) => {
        await assertClaimed(on);
        await snapshots.replaceHolders(on, holders);
      }),
    eventSums: (address, upToSlot) =>
      read(async (on) => {
        const account = await on.get(statements.account, address);
        const newest = account && (await on.get(events.newestUpTo, account.id, upToSlot));
        const { totalIn, totalOut, staked, unstaked } = newest ? totalsFromRow(newest) : NO_HISTORY;
        return { totalIn, totalOut, staked, unstaked };
      }),
    commitReconciliation: (latest) => write((on) => snapshots.reconcile(on, latest)),
    rollUpHistory: (now) => write((on) => points.rollUp(on, now)),
    fillHistory: prepareHistoryFiller(db, events, points, transactions),
    reportEndpoints: (reported, at) =>
      write(async (on) => {
        await points.sampleReport(on, reported, at, await snapshots.report(on, reported, at));
      }),
    close: () => db.close(),
  };
}
