import { ADMIN_LISTS } from '../../model/admin-lists.ts';
import type { Field, ListDefinition } from '../../model/define-list.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type { ListedRecord, ListedRows } from '../record-port.ts';
import { IS_BOUNCED } from '../rules/bounces.ts';
import {
  APPLICATION_RANKS,
  columnFilters,
  IS_WAITING,
  type RankColumn,
  type RecordListId,
  toRecordAssignment,
  WORK_RANKS,
} from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { SUBMISSION_EVENT_NAMES, type Submissions } from '../submission-port.ts';
import { SUBMISSION_TABLES, submissionOfRow } from './submission-rows.ts';

export interface ListedTable<Row = unknown> {
  readonly table: string;
  readonly kind: SubmissionKind;
  readonly wordTable: string;
  /** The columns to select; the table's alias is `a`. */
  readonly columns: string;
  /**
   * The SQL expression of each sort, and the name of the sort's index, which contains the expression, the time and the
   * reference number.
   */
  readonly sorts: Readonly<Record<string, { readonly expression: string; readonly index: string }>>;
  /**
   * The condition of each filter, with one `?`, and a function that returns the value to bind. A filter that few rows match
   * has its own index. With any other filter, a page is read through the sort's index.
   */
  readonly filters: Readonly<
    Record<
      string,
      { readonly sql: string; readonly bind: (value: string) => string | number; readonly index?: string }
    >
  >;
  readonly toRow: (row: RawRow) => Row;
}

/** Data about a list beyond its `ListDefinition`. */
interface TableSpec {
  readonly wordTable: string;
  readonly ranks?: Readonly<Record<string, RankColumn>>;
}

/** SQL for the combined state of one channel's messages about a new submission. */
function newSubmissionMessagesState(kind: SubmissionKind, channel: 'mail' | 'telegram'): string {
  const state = `case when max(d.state = 'dead') then 'failed' when max(d.state in ('waiting', 'leased')) then 'waiting' when max(d.state = 'settled') then 'settled' when count(*) > 0 then 'sent' else 'none' end`;
  return `(select ${state} from deliveries d where d.referenceNumber = a.referenceNumber and d.event = '${SUBMISSION_EVENT_NAMES[kind]}' and d.channel = '${channel}')`;
}

// Without `indexed by`, SQLite would scan all failed deliveries for each row.
const HAS_BOUNCED_MAIL = `exists (select 1 from deliveries d indexed by deliveries_once where d.referenceNumber = a.referenceNumber and ${IS_BOUNCED})`;

/** Selects the records with a bounced email. There are few of them, so SQLite finds them first and then sorts them. */
const bouncedFilter = (table: string): ListedTable['filters'][string] => ({
  sql: `a.referenceNumber in (select d.referenceNumber from deliveries d indexed by deliveries_dead where ${IS_BOUNCED} and ? = 'bounced')`,
  bind: String,
  index: `${table}_referenceNumber_unique`,
});

/** `nocase` ignores only the case of ASCII letters. */
function sortExpression(id: string, { kind, isNullable }: Field): string {
  const value = isNullable ? `coalesce(a.${id}, '')` : `a.${id}`;
  return kind === 'text' ? `${value} collate nocase` : value;
}

function defineListedTable<Kind extends SubmissionKind>(
  { kind, fields, filters }: ListDefinition & { readonly kind: Kind },
  { wordTable, ranks = WORK_RANKS }: TableSpec,
): ListedTable<ListedRecord<Submissions[Kind]>> {
  const table = SUBMISSION_TABLES[kind].name;
  const sortOf = (id: string, field: Field) => {
    const [column] = ranks[id] ?? [];
    if (column !== undefined) return { expression: `a.${column}`, index: `${table}_by_${column}` };
    // Drizzle chooses the name of the index of a `.unique()` column.
    const index = field.kind === 'reference' ? `${table}_${id}_unique` : `${table}_by_${id}`;
    return { expression: sortExpression(id, field), index };
  };
  const filterOf = (id: string) => {
    if (id === 'mail') return bouncedFilter(table);
    if (id === 'waiting')
      return { sql: `${IS_WAITING} and ? = 'applicant'`, bind: String, index: `${table}_waiting` };
    const [column = id, bind = String] = ranks[id] ?? [];
    return { sql: `a.${column} = ?`, bind };
  };
  const sortable = Object.entries(fields).filter(([, { sort }]) => sort !== undefined);
  return {
    table,
    kind,
    wordTable,
    columns: `a.*, (select m.username from admins m where m.id = a.assigneeId) as assignee, ${newSubmissionMessagesState(kind, 'mail')} as emailState, ${newSubmissionMessagesState(kind, 'telegram')} as telegramState, ${HAS_BOUNCED_MAIL} as mailBounced`,
    sorts: Object.fromEntries(sortable.map(([id, field]) => [id, sortOf(id, field)])),
    filters: Object.fromEntries(columnFilters(filters).map((id) => [id, filterOf(id)])),
    toRow: (row) => {
      // The properties are copied one by one, because `Object.assign` takes longer than reading the row.
      const listed = submissionOfRow(kind, row) as unknown as Record<string, unknown>;
      const { assigneeId, assignee, dueAt, isWaiting } = toRecordAssignment(row);
      listed.assigneeId = assigneeId;
      listed.assignee = assignee;
      listed.dueAt = dueAt;
      listed.isWaiting = isWaiting;
      listed.emailSent = row.emailState === 'sent';
      listed.telegramSent = row.telegramState === 'sent';
      listed.mailBounced = row.mailBounced === 1;
      return listed as unknown as ListedRecord<Submissions[Kind]>;
    },
  };
}

export const LISTED_TABLES: { readonly [Id in RecordListId]: ListedTable<ListedRows[Id]> } = {
  applications: defineListedTable(ADMIN_LISTS.applications, {
    wordTable: 'application_words',
    ranks: APPLICATION_RANKS,
  }),
  contacts: defineListedTable(ADMIN_LISTS.contacts, { wordTable: 'contact_words' }),
  'verification-requests': defineListedTable(ADMIN_LISTS['verification-requests'], {
    wordTable: 'request_words',
  }),
  'loan-applications': defineListedTable(ADMIN_LISTS['loan-applications'], { wordTable: 'loan_words' }),
};
