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
  /** The transaction takes the write lock when it begins, so that no later statement fails on a lock. */
  const inTransaction = <T>(work: () => T): Promise<T> =>
    runInStore(client, INDEX_FILE, () => transaction.immediate(work) as T);
  const fillHistory = prepareHistoryFiller({ db, points, events, inTransaction });
  const read = <T>(work: () => T): Promise<T> => runInStore(client, INDEX_FILE, work);
  const assertClaimed = (): void => {
    if (snapshots.identity.get() === undefined) throw notClaimedError(file);
  };

  return {
    claim: (identity) =>
      inTransaction(() => {
        const storedIdentity = snapshots.identity.get();
        if (storedIdentity === undefined) snapshots.replaceIdentity(identity);
        else
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
        const { oldestSignature: signature, oldestSlot: slot, hasBeginning: isProven } = account;
        return { signature, slot, isProven };
      }),
    commitEvents: (batch) =>
      inTransaction(() => {
        assertClaimed();
        storeBatch(historyStatements, batch);
      }),
    quarantined: () => read(() => historyStatements.quarantine.final.all()),
    releaseQuarantined: (quarantined, rows) =>
      inTransaction(() => releaseQuarantined(historyStatements, quarantined, rows)),
    commitSnapshot: (snapshot) =>
      inTransaction(() => {
        assertClaimed();
        const replacement = replaceSnapshot(snapshots, snapshot);
        if (replacement !== null) sampleSnapshot(points, snapshot, replacement.stakerCount);
      }),
    commitQuote: (quote) =>
      inTransaction(() => {
        if (replaceQuote(snapshots, quote, Date.now()))
          sampleQuote(points, quote, latestTime(snapshots, quote.readAt));
      }),
    commitHolders: (holders) =>
      inTransaction(() => {
        assertClaimed();
        replaceHolders(snapshots, holders);
      }),
    eventSums: (account, upToSlot) => read(() => eventSums(events, account, upToSlot)),
    commitReconciliation: (reconciliation) =>
      inTransaction(() => replaceReconciliation(snapshots, reconciliation)),
    deleteOldHistory: (now) => inTransaction(() => deleteOldPoints(points, now)),
    fillHistory,
    reportEndpoints: (endpoints, reportedAt) =>
      inTransaction(() => {
        const previousReport = replaceEndpoints(snapshots, endpoints, reportedAt);
        sampleReport(points, { endpoints, reportedAt }, previousReport, latestTime(snapshots, reportedAt));
      }),
    close: async () => {
      client.close();
    },
  };
}
