import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import type { AppStore } from '../ports.ts';
import { createAdminStore } from './admin-store.ts';
import { openApplications } from './application-store.ts';
import { prepareAuditStatements } from './audit-statements.ts';
import { openBacklog } from './backlog-store.ts';
import { backUp } from './backup-file.ts';
import { createCardStore } from './card-store.ts';
import { openChat } from './chat-store.ts';
import { openContacts } from './contact-store.ts';
import { openDeliveries } from './delivery-store.ts';
import { drizzle } from './drizzle.ts';
import { openErasures } from './erasure-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { openLoans } from './loan-store.ts';
import { openForWriting } from './open-database.ts';
import { prepareDeliveryQueue } from './queue-delivery.ts';
import { createQueueSignal } from './queue-signal.ts';
import { openRecords } from './record-store.ts';
import { openRetention, prepareDocumentDeletion } from './retention-store.ts';
import { createSessionStore } from './session-store.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import { prepareTakingSubmissions } from './take-submission.ts';
import { createWordIndex } from './word-index.ts';
import { takeWritersPlace } from './writer-lock.ts';

function openAsOnlyWriter(file: string): { readonly client: Database.Database; close(): void } {
  const giveBackPlace = takeWritersPlace(file);
  try {
    const client = openForWriting(file, APP_FILE);
    return {
      client,
      close() {
        client.close();
        giveBackPlace();
      },
    };
  } catch (error) {
    giveBackPlace();
    throw error;
  }
}

/**
 * Opens `app.db` as its only writer, making it where there is none.
 * @throws {StoreUnavailableError} where another process has it, or the file cannot be opened or written, is no database,
 * is another program's, or newer than this program.
 */
export async function openAppStore(file: string): Promise<AppStore> {
  const { client, close } = openAsOnlyWriter(file);
  const db = drizzle({ client });
  const audit = prepareAuditStatements(db);
  const signal = createQueueSignal();
  const group = createGroupCommit(client, APP_FILE);
  const queueDelivery = prepareDeliveryQueue(db, signal);
  const words = createWordIndex(client);
  signal.onQueued(words.schedule);
  words.schedule();
  const submit = prepareTakingSubmissions(db, audit, queueDelivery);
  const deleteDocuments = prepareDocumentDeletion(client, audit);
  const record = client.transaction((added: AuditRecord): void => {
    if (audit.append(added)) return;
    const { address = null, ...rest } = added;
    if (!isDeepStrictEqual(audit.byId.get({ id: added.id }), { ...rest, address })) {
      throw new RangeError(
        `The audit record ${added.id} exists with other contents; it is never overwritten.`,
      );
    }
  });
  return {
    cards: createCardStore(client, record),
    recordAudit: (added) => inStore(client, APP_FILE, () => record.immediate(added)),
    auditPage: (before, limit) =>
      inStore(client, APP_FILE, () =>
        audit.before.all({ before: before ?? Number.MAX_SAFE_INTEGER, limit: Math.max(0, limit) }),
      ),
    auditTrail: (limit) => inStore(client, APP_FILE, () => audit.newest.all({ limit: Math.max(0, limit) })),
    admins: createAdminStore(client, record),
    sessions: createSessionStore(client),
    applications: openApplications(client, db, submit, group),
    contacts: openContacts(client, db, submit, group),
    records: openRecords(client, { audit, queueDelivery, onQueued: signal.announce, group, words }),
    loans: openLoans(client, db, submit, group),
    retention: openRetention(client, deleteDocuments, group),
    erasures: openErasures(client, { audit, deleteDocuments, group }),
    deliveries: openDeliveries(client, db, signal.onQueued, group),
    chat: openChat(client, db),
    backUp: (target) => backUp(client, target),
    backlog: openBacklog(client, db),
    close: async () => {
      group.flush();
      words.stop();
      close();
    },
  };
}
