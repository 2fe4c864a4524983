import type Database from 'better-sqlite3';
import type { ListedRows, ListName, ListPage, ListQuery, RecordStore } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import { attemptPage, attemptsForExport } from './attempt-list.ts';
import type { AuditStatements } from './audit-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import { applicationRowOf, contactRowOf, loanRowOf, type RawRow, requestRowOf } from './listed-rows.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import type { QueueDelivery } from './queue-delivery.ts';
import { channelBacklogs, recordCounts } from './record-counts.ts';
import { prepareDecisions } from './record-decisions.ts';
import { wholeRecord } from './record-details.ts';
import { LIMIT, listPage, statementCache } from './record-lists.ts';
import { addHasWords } from './record-words.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import type { WordIndex } from './word-index.ts';

type TableName = Exclude<ListName, 'attempts'>;

const ROWS: { readonly [Name in TableName]: (row: RawRow) => ListedRows[Name] } = {
  applications: applicationRowOf,
  contacts: contactRowOf,
  requests: requestRowOf,
  loans: loanRowOf,
};

/** The part of `app.db` that the team works with. */
export function openRecords(
  client: Database.Database,
  {
    audit,
    queueDelivery,
    onQueued,
    group,
    words,
  }: {
    readonly audit: AuditStatements;
    readonly queueDelivery: QueueDelivery;
    /** Says that deliveries wait which did not before. */
    readonly onQueued: () => void;
    readonly group: GroupCommit;
    readonly words: Pick<WordIndex, 'catchUp'>;
  },
): RecordStore {
  addHasWords(client);
  const statements = statementCache(client);
  const decisions = prepareDecisions(statements, audit, queueDelivery);
  const read = <T>(work: () => T): Promise<T> => inStore(client, APP_FILE, client.transaction(work));

  function list<Name extends ListName>(name: Name, query: ListQuery): ListPage<ListedRows[Name]>;
  function list(name: ListName, query: ListQuery): ListPage<ListedRows[ListName]> {
    if (name === 'attempts') return attemptPage(statements, query);
    const page = listPage(statements, LISTED_TABLES[name], query);
    const toRow: (row: RawRow) => ListedRows[TableName] = ROWS[name];
    return { ...page, rows: page.rows.map(toRow) };
  }

  type ExportPage = Parameters<RecordStore['exportPage']>[1];
  function exported<Name extends ListName>(
    name: Name,
    page: ExportPage,
  ): { readonly rows: readonly ListedRows[Name][]; readonly next: string | null };
  function exported(name: ListName, { after, until, limit }: ExportPage) {
    if (name === 'attempts') return attemptsForExport(statements, { after, until, limit });
    const { table, columns, sorts } = LISTED_TABLES[name];
    const place = after === null ? '' : 'and (a.createdAt, a.referenceNumber) > (?, ?)';
    const [at = 0, reference = ''] = after?.split('~') ?? [];
    const sql = `select ${columns} from ${table} a indexed by ${sorts.createdAt?.index} where a.createdAt <= ? ${place} order by a.createdAt, a.referenceNumber ${LIMIT}`;
    const values = after === null ? [until, limit] : [until, Number(at), reference, limit];
    const rows = statements(sql).all(...values) as RawRow[];
    const last = rows.at(-1);
    const toRow: (row: RawRow) => ListedRows[TableName] = ROWS[name];
    return {
      rows: rows.map(toRow),
      next:
        rows.length === limit && last ? `${String(last.createdAt)}~${String(last.referenceNumber)}` : null,
    };
  }

  return {
    list: async (name, query) => {
      if (query.search !== null) await inStore(client, APP_FILE, words.catchUp);
      return read(() => list(name, query));
    },
    exportPage: (name, page) => read(() => exported(name, page)),
    counts: (recentSince) => read(() => recordCounts(statements, recentSince)),
    backlogs: (moments) => read(() => channelBacklogs(statements, moments)),
    record: (referenceNumber) => read(() => wholeRecord(statements, referenceNumber)),
    decideApplication: (decided, by) => group.run(() => decisions.decideApplication(decided, by)),
    decideRequest: (decided, by) => group.run(() => decisions.decideRequest(decided, by)),
    vote: (voted, by) => group.run(() => decisions.vote(voted, by)),
    addNote: ({ referenceNumber, text }, { adminId, address, at }) =>
      group.run(() => {
        const known = statements('select 1 from reference_numbers where referenceNumber = ?').get(
          referenceNumber,
        );
        if (!known) return null;
        const id = rowId(at);
        statements(
          'insert into record_notes (id, referenceNumber, adminId, text, createdAt) values (?, ?, ?, ?, ?)',
        ).run(id, referenceNumber, adminId, text, at);
        const details = { referenceNumber, note: id };
        audit.append({ id: rowId(at), at, actor: adminId, address, action: 'note.added', details });
        const name = statements('select username from admins where id = ?').pluck().get(adminId);
        return { id, at, by: typeof name === 'string' ? name : adminId, text };
      }),
    retryDelivery: (deliveryId, { adminId, address, at }) =>
      group.run(() => {
        const row = statements('select state, referenceNumber from deliveries where id = ?').get(
          deliveryId,
        ) as { readonly state: string; readonly referenceNumber: string } | undefined;
        if (!row) return 'unknown';
        if (row.state !== 'dead') return 'not-dead';
        statements(
          "update deliveries set state = 'waiting', attemptCount = 0, nextAttemptAt = ?, finishedAt = null where id = ?",
        ).run(at, deliveryId);
        const details = { referenceNumber: row.referenceNumber, delivery: deliveryId };
        audit.append({ id: rowId(at), at, actor: adminId, address, action: 'delivery.retried', details });
        onQueued();
        return 'retried';
      }),
  };
}
