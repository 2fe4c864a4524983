import type { AppStore } from '../ports.ts';
import { createQueueSignal } from '../rules/queue-signal.ts';
import { openAdmins } from './admin-store.ts';
import { openAuditTrail } from './audit-trail.ts';
import { openCallCounts } from './call-counts.ts';
import { openCards } from './card-store.ts';
import { openChat } from './chat-store.ts';
import type { DatabaseSettings } from './database.ts';
import { prepareDeliveryQueue } from './delivery-queue.ts';
import { openDeliveries } from './delivery-store.ts';
import { openPart } from './open-part.ts';
import { openRecords } from './record-store.ts';
import { openSessions } from './session-store.ts';
import { openSubmissions } from './submission-store.ts';

/** The ports that are there so far. The programs open no database until all of them are. */
export type PostgresAppStore = Pick<
  AppStore,
  | 'recordAudit'
  | 'auditTrail'
  | 'cards'
  | 'records'
  | 'sessions'
  | 'admins'
  | 'submissions'
  | 'deliveries'
  | 'chat'
  | 'callCounts'
  | 'close'
>;

/**
 * Opens the portal's own data in a schema of the database, and creates or migrates the schema. Several programs may have it open.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program.
 */
export async function openAppStore(settings: DatabaseSettings): Promise<PostgresAppStore> {
  const db = await openPart(settings, 'app');
  const signal = createQueueSignal();
  const queueDeliveries = prepareDeliveryQueue(db);
  return {
    ...openAuditTrail(db),
    cards: openCards(db, queueDeliveries, signal),
    sessions: openSessions(db),
    admins: openAdmins(db),
    submissions: openSubmissions(db, queueDeliveries, signal),
    records: openRecords(db, queueDeliveries, signal),
    deliveries: openDeliveries(db, signal.onQueued),
    chat: openChat(db),
    callCounts: openCallCounts(db),
    close: () => db.close(),
  };
}
