import type { IndexWriter } from '../ports.ts';
import { assertSameIdentity, notClaimedError } from '../rules/index-identity.ts';
import { ZERO_TOTALS } from '../rules/running-totals.ts';
import type { Database, DatabaseSettings, Queries } from './database.ts';
import { prepareHistories } from './event-history.ts';
import { prepareEventRows, totalsFromRow } from './event-rows.ts';
import { prepareHistoryFiller } from './history-fill.ts';
import { preparePointRows } from './history-points.ts';
import { becomeWriter } from './index-transactions.ts';
import { openStorePart } from './open-store-part.ts';
import { prepareSnapshotRows } from './snapshot-rows.ts';

interface AccountRow {
  readonly id: number;
  readonly cursorSignature: string | null;
  readonly cursorSlot: number | null;
  readonly oldestSignature: string | null;
  readonly oldestSlot: number | null;
  /** Whether the oldest transaction is proven to be the account's first one. */
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
  const db = await openStorePart({ ...settings, poolSize: 1 }, 'index');
  const transactionRunners = await becomeWriter(db, fence).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const { read, write } = transactionRunners;
  const name = `The schema "${settings.schema}" of the database`;
  const statements = prepareStatements(db);
  const snapshots = prepareSnapshotRows(db);
  const points = preparePointRows(db);
  const events = prepareEventRows(db);
  const histories = prepareHistories(db, events);
  let isClaimed = false;
  const assertClaimed = async (queries: Queries): Promise<void> => {
    isClaimed ||= (await snapshots.identity(queries)) !== null;
    if (!isClaimed) throw notClaimedError(name);
  };

  return {
    claim: (identity) =>
      write(async (queries) => {
        const storedIdentity = await snapshots.identity(queries);
        if (storedIdentity === null) await snapshots.claim(queries, identity);
        else
          assertSameIdentity(storedIdentity, identity, {
            name,
            otherSetting: 'DATABASE_SCHEMA to another schema',
          });
      }),
    cursor: (address) =>
      read(async (queries) => {
        const { cursorSignature: signature, cursorSlot: slot } =
          (await queries.get(statements.account, address)) ?? {};
        return signature == null || slot == null ? null : { account: address, signature, slot };
      }),
    beginning: (address) =>
      read(async (queries) => {
        const account = await queries.get(statements.account, address);
        if (!account || account.oldestSignature === null || account.oldestSlot === null) return null;
        const { oldestSignature: signature, oldestSlot: slot, hasBeginning: isProven } = account;
        return { signature, slot, isProven };
      }),
    commitEvents: (batch) =>
      write(async (queries) => {
        await assertClaimed(queries);
        await histories.commit(queries, batch);
      }),
    quarantined: () => read((queries) => queries.all(statements.quarantined)),
    releaseQuarantined: (transaction, rows) =>
      write((queries) => histories.release(queries, transaction, rows)),
    commitSnapshot: (snapshot) =>
      write(async (queries) => {
        await assertClaimed(queries);
        const replacement = await snapshots.replaceSnapshot(queries, snapshot);
        if (replacement !== null) await points.sampleSnapshot(queries, snapshot, replacement.stakerCount);
      }),
    commitQuote: (quote) =>
      write(async (queries) => {
        if (await snapshots.replaceQuote(queries, quote, Date.now()))
          await points.sampleQuote(queries, quote, await snapshots.latestTime(queries, quote.readAt));
      }),
    commitHolders: (holders) =>
      write(async (queries) => {
        await assertClaimed(queries);
        await snapshots.replaceHolders(queries, holders);
      }),
    eventSums: (address, upToSlot) =>
      read(async (queries) => {
        const account = await queries.get(statements.account, address);
        const newest = account && (await queries.get(events.newestUpTo, account.id, upToSlot));
        const { totalIn, totalOut, staked, unstaked } = newest ? totalsFromRow(newest) : ZERO_TOTALS;
        return { totalIn, totalOut, staked, unstaked };
      }),
    commitReconciliation: (reconciliation) =>
      write((queries) => snapshots.replaceReconciliation(queries, reconciliation)),
    deleteOldHistory: (now) => write((queries) => points.deleteOldPoints(queries, now)),
    fillHistory: prepareHistoryFiller(db, events, points, transactionRunners),
    reportEndpoints: (endpoints, reportedAt) =>
      write(async (queries) => {
        const report = { endpoints, reportedAt };
        const previousReport = await snapshots.replaceReport(queries, report);
        const at = await snapshots.latestTime(queries, reportedAt);
        await points.sampleReport(queries, report, previousReport, at);
      }),
    close: () => db.close(),
  };
}
