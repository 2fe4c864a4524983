import type { ListId } from '../../model/admin-lists.ts';
import { DELIVERY_CHANNELS } from '../delivery-port.ts';
import type { ChannelBacklog, ListedRows, ListQuery, RecordStore, StoredPage } from '../record-port.ts';
import type { QueueSignal } from '../rules/queue-signal.ts';
import { toAuditRecord } from '../rules/record-decisions.ts';
import { type RecordListId, toRecordCounts } from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { attemptPage } from './attempt-list.ts';
import { requeuedRecipient } from './bounce-store.ts';
import { prepareReadCounts, storedCount } from './count-changes.ts';
import type { Database } from './database.ts';
import type { QueueDeliveries } from './delivery-queue.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { openDecisions } from './record-decisions.ts';
import { prepareDetails } from './record-details.ts';
import { listPage } from './record-lists.ts';
import { openMerges } from './record-merges.ts';
import { openNotes } from './record-notes.ts';
import { prepareUndo } from './record-undo.ts';
import { openWork } from './record-work.ts';

type RecentCounts = Record<'recentApplications' | 'recentContacts' | 'waitingDeliveries', number>;

function prepareStatements({ statement }: Database) {
  return {
    recent: statement<RecentCounts>(`
      select (select count(*) from $.card_applications where "createdAt" >= $1) as "recentApplications",
        (select count(*) from $.contact_messages where "createdAt" >= $1) as "recentContacts",
        (select count(*) from $.deliveries where state in ('waiting', 'leased')) as "waitingDeliveries"`),
    backlogs: statement<ChannelBacklog>(`
      select channel,
        (select count(*) from $.deliveries d
          where d.state = 'waiting' and d.channel = named.channel and d."nextAttemptAt" < $2) as overdue,
        (select count(*) from $.deliveries d
          where d.state = 'dead' and d."finishedAt" >= $3 and d.channel = named.channel and d.audience = 'team')
          as "recentlyDead"
      from unnest($1::text[]) with ordinality as named (channel, place) order by place`),
    delivery: statement<{ state: string; referenceNumber: string }>(
      'select state, "referenceNumber" from $.deliveries where id = $1 for update',
    ),
    retry: statement(`
      with retried as (
        update $.deliveries set recipient = ${requeuedRecipient()}, state = 'waiting', "attemptCount" = 0, "nextAttemptAt" = $2,
          "finishedAt" = null, fence = fence + 1 where id = $1
      )
      insert into $.count_changes (kind, status, rows) values ('delivery', 'dead', -1)`),
  };
}

const rowConverter = (list: RecordListId): ((row: RawRow) => ListedRows[RecordListId]) =>
  LISTED_TABLES[list].toRow;

export function openRecords(
  db: Database,
  queueDeliveries: QueueDeliveries,
  { announce }: Pick<QueueSignal, 'announce'>,
): RecordStore {
  const statements = prepareStatements(db);
  const details = prepareDetails(db);
  const undo = prepareUndo(db);
  const readCounts = prepareReadCounts(db);

  async function list<Id extends ListId>(id: Id, query: ListQuery): Promise<StoredPage<ListedRows[Id]>>;
  async function list(id: ListId, query: ListQuery): Promise<StoredPage<ListedRows[ListId]>> {
    if (id === 'delivery-logs') return attemptPage(db, readCounts, query);
    const page = await listPage(db, readCounts, LISTED_TABLES[id], query);
    return { ...page, rows: page.rows.map(rowConverter(id)) };
  }

  return {
    list,
    async counts(recentSince) {
      const counts = await readCounts();
      const recent = await db.get(statements.recent, recentSince);
      const { recentApplications = 0, recentContacts = 0, waitingDeliveries = 0 } = recent ?? {};
      return toRecordCounts((kind, status) => storedCount(counts, kind, status), {
        recentApplications,
        recentContacts,
        waitingDeliveries,
      });
    },
    backlogs: ({ dueBefore, deadSince }) =>
      db.all(statements.backlogs, DELIVERY_CHANNELS, dueBefore, deadSince),
    record: (referenceNumber) => details.fullRecord(db, referenceNumber),
    ...openDecisions(db, details, queueDeliveries, undo, announce),
    undoableDecisions: undo.undoableDecisions,
    async undo(seen, actor) {
      const outcome = await undo.undo(seen, actor);
      announce();
      return outcome;
    },
    ...openMerges(db, undo),
    ...openWork(db, details, undo),
    ...openNotes(db, queueDeliveries, { announce }),
    async retryDelivery(deliveryId, actor) {
      const outcome = await db.transaction([], async (transaction) => {
        const found = await transaction.get(statements.delivery, deliveryId);
        if (!found) return 'unknown';
        if (found.state !== 'dead') return 'not-dead';
        await transaction.run(statements.retry, deliveryId, actor.at);
        const auditDetails = { referenceNumber: found.referenceNumber, delivery: deliveryId };
        transaction.record(toAuditRecord('delivery.retried', actor, auditDetails));
        return 'retried';
      });
      if (outcome === 'retried') announce();
      return outcome;
    },
  };
}
