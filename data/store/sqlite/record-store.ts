import type Database from 'better-sqlite3';
import type { ListId } from '../../model/admin-lists.ts';
import { DELIVERY_CHANNELS } from '../delivery-port.ts';
import type {
  ChannelBacklog,
  ListedRows,
  ListQuery,
  RecordCounts,
  RecordStore,
  StoredPage,
} from '../record-port.ts';
import { toAuditRecord } from '../rules/record-decisions.ts';
import { type RecordListId, toRecordCounts } from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { attemptPage } from './attempt-list.ts';
import type { AuditStatements } from './audit-trail.ts';
import { REQUEUE } from './bounce-store.ts';
import type { QueueDelivery } from './delivery-store.ts';
import type { GroupCommit } from './group-commit.ts';
import { readCount, type Statements, statementCache } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { prepareDecisions } from './record-decisions.ts';
import { readFullRecord } from './record-details.ts';
import { listPage } from './record-lists.ts';
import { prepareMerges } from './record-merges.ts';
import { prepareNotes } from './record-notes.ts';
import { addHasWords } from './record-search.ts';
import { prepareUndo } from './record-undo.ts';
import { prepareWork } from './record-work.ts';
import { APP_FILE, runInStore } from './store-files.ts';
import type { WordIndex } from './word-index.ts';

/** Triggers maintain the counts by kind and status. The other counts scan only short parts of indexes. */
export function recordCounts(statements: Statements, recentSince: number): RecordCounts {
  const rows = statements('select kind, status, rows from record_counts').all() as {
    readonly kind: string;
    readonly status: string;
    readonly rows: number;
  }[];
  const recent = (table: string) =>
    readCount(statements, `select count(*) from ${table} where createdAt >= ?`, [recentSince]);
  const storedCount = (kind: string, status: string) =>
    rows.find((row) => row.kind === kind && row.status === status)?.rows ?? 0;
  return toRecordCounts(storedCount, {
    recentApplications: recent('card_applications'),
    recentContacts: recent('contact_messages'),
    waitingDeliveries: readCount(
      statements,
      "select count(*) from deliveries where state in ('waiting', 'leased')",
    ),
  });
}

export function channelBacklogs(
  statements: Statements,
  { dueBefore, deadSince }: { readonly dueBefore: number; readonly deadSince: number },
): readonly ChannelBacklog[] {
  const overdueSql =
    "select count(*) from deliveries where state = 'waiting' and nextAttemptAt < ? and channel = ?";
  const deadSql =
    "select count(*) from deliveries indexed by deliveries_dead where state = 'dead' and finishedAt >= ? and channel = ? and audience = 'team'";
  return DELIVERY_CHANNELS.map((channel) => ({
    channel,
    overdue: readCount(statements, overdueSql, [dueBefore, channel]),
    recentlyDead: readCount(statements, deadSql, [deadSince, channel]),
  }));
}

const rowConverter = (list: RecordListId): ((row: RawRow) => ListedRows[RecordListId]) =>
  LISTED_TABLES[list].toRow;

interface RecordOptions {
  readonly audit: AuditStatements;
  readonly queueDelivery: QueueDelivery;
  readonly onQueued: () => void;
  readonly group: GroupCommit;
  readonly wordIndex: Pick<WordIndex, 'catchUp'>;
}

export function openRecords(
  client: Database.Database,
  { audit, queueDelivery, onQueued, group, wordIndex }: RecordOptions,
): RecordStore {
  addHasWords(client);
  const statements = statementCache(client);
  const undo = prepareUndo(statements, audit, onQueued);
  const decisions = prepareDecisions(statements, audit, queueDelivery, undo);
  const merges = prepareMerges(statements, audit, undo);
  const work = prepareWork(statements, audit, undo);
  const notes = prepareNotes(statements, audit, queueDelivery);
  const read = <T>(work: () => T): Promise<T> => runInStore(client, APP_FILE, client.transaction(work));

  function list<Id extends ListId>(id: Id, query: ListQuery): StoredPage<ListedRows[Id]>;
  function list(id: ListId, query: ListQuery): StoredPage<ListedRows[ListId]> {
    if (id === 'delivery-logs') return attemptPage(statements, query);
    const page = listPage(statements, LISTED_TABLES[id], query);
    return { ...page, rows: page.rows.map(rowConverter(id)) };
  }

  return {
    list: async (id, query) => {
      if (query.search !== null) await runInStore(client, APP_FILE, wordIndex.catchUp);
      return read(() => list(id, query));
    },
    counts: (recentSince) => read(() => recordCounts(statements, recentSince)),
    backlogs: (moments) => read(() => channelBacklogs(statements, moments)),
    record: (referenceNumber) => read(() => readFullRecord(statements, referenceNumber)),
    decideApplication: (decision, actor) => group.run(() => decisions.decideApplication(decision, actor)),
    decideRequest: (decision, actor) => group.run(() => decisions.decideRequest(decision, actor)),
    vote: (ballot, actor) => group.run(() => decisions.vote(ballot, actor)),
    reopen: (seen, actor) => group.run(() => decisions.reopen(seen, actor)),
    undoableDecisions: (adminId, at) => read(() => undo.undoableDecisions(adminId, at)),
    undo: (seen, actor) => group.run(() => undo.undo(seen, actor)),
    merge: (request, actor) => group.run(() => merges.merge(request, actor)),
    split: (seen, actor) => group.run(() => merges.split(seen, actor)),
    decideContact: (decision, actor) => group.run(() => work.decideContact(decision, actor)),
    assign: (assignment, actor) => group.run(() => work.assign(assignment, actor)),
    endWaiting: (referenceNumber, actor) => group.run(() => work.endWaiting(referenceNumber, actor)),
    workQueue: (filter, page) => read(() => work.workQueue(filter, page)),
    workCounts: (filter) => read(() => work.workCounts(filter)),
    addNote: (note, actor) => group.run(() => notes.add(note, actor)),
    changeNote: (change, actor) => group.run(() => notes.change(change, actor)),
    mentions: (adminId, limit) => read(() => notes.mentions(adminId, limit)),
    countUnreadMentions: (adminId) => read(() => notes.countUnread(adminId)),
    markMentionsRead: (adminId, referenceNumber, at) =>
      group.run(() => notes.markRead(adminId, referenceNumber, at)),
    mention: (id) => read(() => notes.mention(id)),
    retryDelivery: (deliveryId, actor) =>
      group.run(() => {
        const row = statements('select state, referenceNumber from deliveries where id = ?').get(
          deliveryId,
        ) as { readonly state: string; readonly referenceNumber: string } | undefined;
        if (!row) return 'unknown';
        if (row.state !== 'dead') return 'not-dead';
        statements(`${REQUEUE} where id = ?`).run(actor.at, deliveryId);
        const details = { referenceNumber: row.referenceNumber, delivery: deliveryId };
        audit.append(toAuditRecord('delivery.retried', actor, details));
        onQueued();
        return 'retried';
      }),
  };
}
