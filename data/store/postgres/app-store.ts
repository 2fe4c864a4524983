import type { AppStore } from '../ports.ts';
import { createQueueSignal } from '../rules/queue-signal.ts';
import { openAdmins } from './admin-store.ts';
import { openAuditTrail } from './audit-trail.ts';
import { openCards } from './card-store.ts';
import { openChat } from './chat-store.ts';
import { type Deadlines, openDatabase } from './connection.ts';
import type { DatabaseSettings } from './database.ts';
import { prepareDeliveryQueue } from './delivery-queue.ts';
import { openDeliveries } from './delivery-store.ts';
import { isMigrated, migrate } from './migrate.ts';
import { openSessions } from './session-store.ts';
import { openSubmissions } from './submission-store.ts';

/** A statement of a migration may take long, or wait for another program that migrates. */
const MIGRATION_DEADLINES: Deadlines = { connect: 5_000, statement: 600_000 };

/** The ports that are there so far. The programs open no database until all of them are. */
export type PostgresAppStore = Pick<
  AppStore,
  | 'recordAudit'
  | 'auditTrail'
  | 'cards'
  | 'sessions'
  | 'admins'
  | 'submissions'
  | 'deliveries'
  | 'chat'
  | 'close'
>;

async function migrateApp(settings: DatabaseSettings): Promise<void> {
  const db = openDatabase({ ...settings, poolSize: 1 }, MIGRATION_DEADLINES);
  try {
    await migrate(db, settings.schema, 'app');
  } finally {
    await db.close();
  }
}

/**
 * Opens the portal's own data in a schema of the database, and creates or migrates the schema. Several programs may have it open.
 * @throws {StoreUnavailableError} when the database cannot be used, or the schema is newer than this program.
 */
export async function openAppStore(settings: DatabaseSettings): Promise<PostgresAppStore> {
  const db = openDatabase(settings);
  try {
    if (!(await isMigrated(db, settings.schema, 'app'))) await migrateApp(settings);
  } catch (error) {
    await db.close();
    throw error;
  }
  const signal = createQueueSignal();
  const queueDeliveries = prepareDeliveryQueue(db);
  return {
    ...openAuditTrail(db),
    cards: openCards(db, queueDeliveries, signal),
    sessions: openSessions(db),
    admins: openAdmins(db),
    submissions: openSubmissions(db, queueDeliveries, signal),
    deliveries: openDeliveries(db, signal.onQueued),
    chat: openChat(db),
    close: () => db.close(),
  };
}
