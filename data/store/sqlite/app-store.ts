import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import type { AuditRecord } from '../audit-port.ts';
import type { AppStore } from '../ports.ts';
import { createQueueSignal } from '../rules/queue-signal.ts';
import { changedParts, createChangeSignal, withAttemptAnnouncements } from '../rules/record-changes.ts';
import { createAdminStore } from './admin-store.ts';
import { openAlerts } from './alert-store.ts';
import { type AppGuard, createAppGuard } from './app-guard.ts';
import { prepareAuditSearch, prepareAuditStatements } from './audit-trail.ts';
import { backUp } from './backup-file.ts';
import { openBounces } from './bounce-store.ts';
import { createCardStore, prepareCardNotices } from './card-store.ts';
import { openChat } from './chat-store.ts';
import { openConversations } from './conversation-store.ts';
import { openDeliveries, prepareDeliveryQueue } from './delivery-store.ts';
import { drizzle } from './drizzle.ts';
import { openErasures, openRetention, prepareDocumentDeletion } from './erasure-store.ts';
import { openFilters } from './filter-store.ts';
import { createGroupCommit } from './group-commit.ts';
import { openForWriting } from './open-database.ts';
import { openRecords } from './record-store.ts';
import { openReports } from './report-store.ts';
import { createSessionStore } from './session-store.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import { openSubmissions } from './submission-store.ts';
import { openSubscriptions } from './subscription-store.ts';
import { openTopUps } from './top-up-store.ts';
import { openWebhooks, prepareWebhookQueue } from './webhook-store.ts';
import { createWordIndex } from './word-index.ts';
import { acquireWriterLock } from './writer-lock.ts';

type PartName = {
  [Name in keyof AppStore]: AppStore[Name] extends (...values: never[]) => unknown
    ? never
    : null extends AppStore[Name]
      ? never
      : Name;
}[keyof AppStore];

/**
 * Adds the parts to a store. Each part is created when it is first used, because a program uses only a few parts, and creating
 * all of them takes 10 ms.
 */
function withParts(
  store: Omit<AppStore, PartName>,
  parts: { readonly [Name in PartName]: () => AppStore[Name] },
): AppStore {
  for (const [name, create] of Object.entries(parts)) {
    const property = { enumerable: true, configurable: true };
    Object.defineProperty(store, name, {
      ...property,
      get() {
        const value = create();
        Object.defineProperty(store, name, { ...property, value });
        return value;
      },
    });
  }
  return store as AppStore;
}

interface OpenedApp {
  readonly client: Database.Database;
  readonly guard: AppGuard;
  close(): void;
}

function openAsOnlyWriter(file: string): OpenedApp {
  const releaseLock = acquireWriterLock(file);
  try {
    const client = openForWriting(file, APP_FILE);
    const guard = createAppGuard(client);
    return {
      client,
      guard,
      close() {
        guard.close();
        releaseLock();
      },
    };
  } catch (error) {
    releaseLock();
    throw error;
  }
}

/**
 * Opens `app.db` as its only writer, and creates it if there is none.
 * @throws {StoreUnavailableError} when another process writes to the file, or the file cannot be opened or written, is not a
 * database, belongs to another program, or was written by a newer version of this program.
 */
export async function openAppStore(file: string): Promise<AppStore> {
  const { client, guard, close } = openAsOnlyWriter(file);
  const db = drizzle({ client });
  const signal = createQueueSignal();
  const changeSignal = createChangeSignal();
  const queueWebhooks = prepareWebhookQueue(client, signal);
  const auditSearch = prepareAuditSearch(client);
  const audit = prepareAuditStatements(db, (added) => {
    queueWebhooks(added);
    changeSignal.announce(changedParts(added));
  });
  const group = createGroupCommit(client, APP_FILE);
  const queueDelivery = prepareDeliveryQueue(client, signal);
  const queueCardNotice = prepareCardNotices(client, queueDelivery);
  const wordIndex = createWordIndex(client);
  signal.onQueued(wordIndex.schedule);
  wordIndex.schedule();
  const deleteDocuments = prepareDocumentDeletion(client, audit);
  const record = client.transaction((added: AuditRecord): void => {
    if (audit.append(added)) return;
    const { address = null, ...rest } = added;
    if (!isDeepStrictEqual(audit.byId.get({ id: added.id }), { ...rest, address })) {
      throw new RangeError(
        `The audit record ${added.id} exists with other contents. Records are never overwritten.`,
      );
    }
  });
  return withParts(
    {
      onChanged: changeSignal.onChanged,
      recordAudit: (added) => runInStore(client, APP_FILE, () => record.immediate(added)),
      findAudit: (...search) => runInStore(client, APP_FILE, () => auditSearch.find(...search)),
      auditActions: () => runInStore(client, APP_FILE, auditSearch.actions),
      auditTrail: (limit, before = Number.MAX_SAFE_INTEGER) =>
        runInStore(client, APP_FILE, () => audit.recordsBefore.all({ before, limit: Math.max(0, limit) })),
      callCounts: null,
      setupLinks: null,
      pool: null,
      backUp: async (target) => {
        // Throws if the file was lost. Without this check, a useless copy would count as the newest backup, and an older, good
        // backup would be deleted.
        await runInStore(client, APP_FILE, () => {});
        return backUp(client, target);
      },
      problem: async () => guard.problem(),
      tryToWrite: async () => guard.tryToWrite(),
      copyLostStore: (target) => guard.saveLost(target),
      close: async () => {
        group.flush();
        wordIndex.stop();
        close();
      },
    },
    {
      cards: () => createCardStore(client, record, queueDelivery, queueCardNotice),
      topUps: () => openTopUps(client, record, queueDelivery, queueCardNotice),
      admins: () => createAdminStore(client, record, queueDelivery),
      sessions: () => createSessionStore(client),
      submissions: () => openSubmissions(client, { db, audit, queueDelivery, group }),
      records: () =>
        openRecords(client, { audit, queueDelivery, onQueued: signal.announce, group, wordIndex }),
      conversations: () => openConversations(client, { audit, queueDelivery, group }),
      reports: () => openReports(client, { audit, queueDelivery, group }),
      retention: () => openRetention(client, audit, deleteDocuments, group),
      erasures: () => openErasures(client, audit, deleteDocuments, group),
      deliveries: () =>
        withAttemptAnnouncements(openDeliveries(client, db, signal.onQueued, group), changeSignal),
      bounces: () => openBounces(client, { audit, onQueued: signal.announce, group }),
      webhooks: () => openWebhooks(client, { audit, group, onQueued: signal.announce }),
      alerts: () => openAlerts(client, db, queueDelivery),
      chat: () => openChat(client, db, record),
      filters: () => openFilters(client, record),
      subscriptions: () => openSubscriptions(client, { queueDelivery, group }),
    },
  );
}
