import type { AppStore } from '../ports.ts';
import { createQueueSignal } from '../rules/queue-signal.ts';
import {
  CHANGED_PARTS,
  changedParts,
  createChangeSignal,
  withAttemptAnnouncements,
} from '../rules/record-changes.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { openAdmins } from './admin-store.ts';
import { openAlerts } from './alert-store.ts';
import { openAuditTrail } from './audit-trail.ts';
import { openBounces } from './bounce-store.ts';
import { openCallCounts } from './call-counts.ts';
import { openCards, prepareCardNotices } from './card-store.ts';
import { openChat } from './chat-store.ts';
import { openConversations } from './conversation-store.ts';
import type { Database, DatabaseSettings } from './database.ts';
import { prepareDeliveryQueue } from './delivery-queue.ts';
import { openDeliveries } from './delivery-store.ts';
import { PERSONAL_TABLES } from './erased-rows.ts';
import { openErasures, prepareDocumentDeletion } from './erasure-store.ts';
import { openFilters } from './filter-store.ts';
import { prepareNotification } from './notify.ts';
import { openStorePart, vacuum } from './open-store-part.ts';
import { prepareSearchWords } from './record-search.ts';
import { openRecords } from './record-store.ts';
import { openReports } from './report-store.ts';
import { openRetention } from './retention-store.ts';
import { openSessions } from './session-store.ts';
import { openSetupLinks } from './setup-links.ts';
import { openSubmissions } from './submission-store.ts';
import { openSubscriptions } from './subscription-store.ts';
import { openTopUps } from './top-up-store.ts';
import { openWebhooks } from './webhook-store.ts';

/**
 * The number of bytes that are written to test whether the server's disk is still full. No form without documents is larger. If
 * the write succeeds, the disk no longer counts as full.
 */
const PROBE_BYTES = 1_048_576;

function prepareProbe(db: Database): () => Promise<void> {
  const write = db.statement('insert into $.write_probes (bytes) values ($1)');
  const remove = db.statement('delete from $.write_probes');
  return () =>
    db.transaction([], async (transaction) => {
      await transaction.run(write, Buffer.alloc(PROBE_BYTES));
      await transaction.run(remove);
    });
}

const refuseBackup = async (): Promise<never> => {
  throw new StoreUnavailableError(
    'The portal does not back up PostgreSQL databases. Use pg_dump, or the server’s continuous archiving.',
  );
};

/**
 * Opens the portal's own data in a schema of the database, and creates or migrates the schema. Several programs may have it
 * open at the same time.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program or holds an
 * incomplete copy.
 */
export async function openAppStore(settings: DatabaseSettings): Promise<AppStore> {
  const db = await openStorePart(settings, 'app');
  const signal = createQueueSignal();
  signal.onQueued(prepareNotification(db, 'queue'));
  db.onWebhooksQueued(signal.announce);
  const changeSignal = createChangeSignal();
  db.onRecorded((records) => changeSignal.announce(records.flatMap(changedParts)));
  const notifyChange = new Map(
    CHANGED_PARTS.map((part) => [part, prepareNotification(db, `changed:${part}`)] as const),
  );
  changeSignal.onChanged((parts) => {
    for (const part of parts) notifyChange.get(part)?.();
  });
  const queueDeliveries = prepareDeliveryQueue(db);
  const queueCardNotice = prepareCardNotices(db, queueDeliveries);
  const deleteDocuments = prepareDocumentDeletion(db);
  const probe = prepareProbe(db);
  const searchWords = prepareSearchWords(db);
  // Errors are ignored, because the next start indexes the remaining records.
  void searchWords.updateOutdated().catch(() => {});
  return {
    ...openAuditTrail(db),
    onChanged: changeSignal.onChanged,
    cards: openCards(db, queueDeliveries, queueCardNotice, signal),
    topUps: openTopUps(db, queueDeliveries, queueCardNotice, signal),
    sessions: openSessions(db),
    admins: openAdmins(db, queueDeliveries, signal),
    submissions: openSubmissions(db, queueDeliveries, signal),
    records: openRecords(db, queueDeliveries, signal),
    conversations: openConversations(db, queueDeliveries, searchWords, signal),
    reports: openReports(db, queueDeliveries, signal),
    retention: openRetention(db, deleteDocuments, () => vacuum(settings, PERSONAL_TABLES)),
    erasures: openErasures(db, deleteDocuments, searchWords),
    deliveries: withAttemptAnnouncements(openDeliveries(db, signal.onQueued), changeSignal),
    bounces: openBounces(db, searchWords, signal),
    webhooks: openWebhooks(db, signal.announce),
    alerts: openAlerts(db, queueDeliveries, signal),
    chat: openChat(db),
    filters: openFilters(db),
    subscriptions: openSubscriptions(db, queueDeliveries, signal),
    callCounts: openCallCounts(db),
    setupLinks: openSetupLinks(db),
    pool: () => db.pool(),
    backUp: refuseBackup,
    problem: async () => (db.isFull() ? { kind: 'full' } : null),
    tryToWrite: () => db.retryWriting(probe),
    copyLostStore: refuseBackup,
    close: () => db.close(),
  };
}
