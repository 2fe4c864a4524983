import type Database from 'better-sqlite3';
import type { IndexWriter } from '../ports.ts';
import { assertSameIdentity, notClaimedError } from '../rules/index-identity.ts';
import { prepareAlarmStatements, prepareQuarantineStatements } from './alarm-rows.ts';
import { drizzle } from './drizzle.ts';
import { releaseQuarantined, storeBatch } from './event-history.ts';
import { prepareActivityStatements } from './event-rows.ts';
import { eventSums, prepareEventStatements } from './event-statements.ts';
import { prepareHistoryFiller } from './history-fill.ts';
import {
  deleteOldPoints,
  preparePointStatements,
  sampleQuote,
  sampleReport,
  sampleSnapshot,
} from './history-points.ts';
import { openForWriting } from './open-database.ts';
import {
  latestTime,
  prepareSnapshotStatements,
  replaceEndpoints,
  replaceHolders,
  replaceQuote,
  replaceReconciliation,
  replaceSnapshot,
} from './snapshot-rows.ts';
import { INDEX_FILE, runInStore } from './store-files.ts';

/** A transaction that takes the write lock when it begins, so that no later statement fails on a lock. */
function immediateTransaction<Args extends unknown[], Result>(
  client: Database.Database,
  work: (...args: Args) => Result,
): (...args: Args) => Promise<Result> {
  const transaction = client.transaction(work);
  return (...args) => runInStore(client, INDEX_FILE, () => transaction.immediate(...args));
}

/**
 * Opens `index.db` for writing, and creates it if it does not exist.
 * @throws {StoreUnavailableError} when the file cannot be opened or written, is not a database, belongs to another
 * program, or is newer than this program.
 */
export async function openIndexWriter(file: string): Promise<IndexWriter> {
  const client = openForWriting(file, INDEX_FILE);
  const db = drizzle({ client });
  const events = prepareEventStatements(client, db);
  const snapshots = prepareSnapshotStatements(db);
  const historyStatements = {
    events,
    alarms: prepareAlarmStatements(db),
    quarantine: prepareQuarantineStatements(db),
    activity: prepareActivityStatements(db),
  };
  const points = preparePointStatements(db);
  const transaction = client.transaction(<T>(work: () => T): T => work());
  const inTransaction = <T>(work: () => T): Promise<T> =>
    runInStore(client, INDEX_FILE, () => transaction.immediate(work) as T);
  const fillHistory = prepareHistoryFiller({ db, points, events, inTransaction });
  const read = <T>(work: () => T): Promise<T> => runInStore(client, INDEX_FILE, work);
  const assertClaimed = (): void => {
    if (snapshots.identity.get() === undefined) throw notClaimedError(file);
  };

  return {
    claim: immediateTransaction(client, (identity) => {
      const storedIdentity = snapshots.identity.get();
      if (storedIdentity === undefined) {
        snapshots.replaceIdentity(identity);
        return;
      }
      assertSameIdentity(storedIdentity, identity, {
        name: file,
        otherSetting: 'DATA_DIR to another folder',
      });
    }),
    cursor: (address) =>
      read(() => {
        const account = events.accountByAddress.get({ address });
        if (account === undefined || account.cursorSignature === null || account.cursorSlot === null)
          return null;
        return { account: address, signature: account.cursorSignature, slot: account.cursorSlot };
      }),
    beginning: (address) =>
      read(() => {
        const account = events.accountByAddress.get({ address });
        if (!account || account.oldestSignature === null || account.oldestSlot === null) return null;
        const { oldestSignature: signature, oldestSlot: slot, hasBeginning: isProved } = account;
        return { signature, slot, isProved };
      }),
    commitEvents: immediateTransaction(client, (batch) => {
      assertClaimed();
      storeBatch(historyStatements, batch);
    }),
    quarantined: () => read(() => historyStatements.quarantine.final.all()),
    releaseQuarantined: immediateTransaction(client, (transaction, rows) =>
      releaseQuarantined(historyStatements, transaction, rows),
    ),
    commitSnapshot: immediateTransaction(client, (snapshot) => {
      assertClaimed();
      const replacement = replaceSnapshot(snapshots, snapshot);
      if (replacement !== null) sampleSnapshot(points, snapshot, replacement.stakerCount);
    }),
    commitQuote: immediateTransaction(client, (quote) => {
      if (replaceQuote(snapshots, quote, Date.now()))
        sampleQuote(points, quote, latestTime(snapshots, quote.readAt));
    }),
    commitHolders: immediateTransaction(client, (holders) => {
      assertClaimed();
      replaceHolders(snapshots, holders);
    }),
    eventSums: (account, upToSlot) => read(() => eventSums(events, account, upToSlot)),
    commitReconciliation: immediateTransaction(client, (reconciliation) =>
      replaceReconciliation(snapshots, reconciliation),
    ),
    deleteOldHistory: immediateTransaction(client, (now) => deleteOldPoints(points, now)),
    fillHistory,
    reportEndpoints: immediateTransaction(client, (endpoints, reportedAt) => {
      const previousReport = replaceEndpoints(snapshots, endpoints, reportedAt);
      sampleReport(points, { endpoints, reportedAt }, previousReport, latestTime(snapshots, reportedAt));
    }),
    close: async () => {
      client.close();
    },
  };
}
