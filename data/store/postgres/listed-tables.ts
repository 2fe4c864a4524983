import { ADMIN_LISTS } from '../../model/admin-lists.ts';
import type { Field, ListDefinition } from '../../model/define-list.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type { ListedRecord, ListedRows } from '../record-port.ts';
import { IS_BOUNCED } from '../rules/bounces.ts';
import type { FilteredTable } from '../rules/list-conditions.ts';
import {
  APPLICATION_RANKS,
  columnFilters,
  IS_WAITING,
  type RankColumn,
  type RecordListId,
  toRecordAssignment,
  WORK_RANKS,
} from '../rules/record-lists.ts';
import { type RawRow, toSubmission } from '../rules/submission-rows.ts';
import { SUBMISSION_EVENT_NAMES, type Submissions } from '../submission-port.ts';
import { SUBMISSION_TABLES } from './submission-rows.ts';

/** How the rows of a list are read, sorted and filtered. The table's alias is `a`. */
export interface ListedTable<Row = unknown> extends FilteredTable {
  readonly kind: SubmissionKind;
  readonly columns: string;
  /** For each column that the list can be sorted by, the expression in its index. */
  readonly sorts: Readonly<Record<string, string>>;
  readonly toRow: (row: RawRow) => Row;
}

function newSubmissionMessagesState(kind: SubmissionKind, channel: 'mail' | 'telegram'): string {
  const state = `case when bool_or(d.state = 'dead') then 'failed' when bool_or(d.state in ('waiting', 'leased')) then 'waiting' when bool_or(d.state = 'settled') then 'settled' when count(*) > 0 then 'sent' else 'none' end`;
  return `(select ${state} from $.deliveries d where d."referenceNumber" = a."referenceNumber" and d.event = '${SUBMISSION_EVENT_NAMES[kind]}' and d.channel = '${channel}')`;
}

const HAS_BOUNCED_MAIL = `exists (select from $.deliveries d where d."referenceNumber" = a."referenceNumber" and ${IS_BOUNCED})`;
const BOUNCED_FILTER = `a."referenceNumber" in (select d."referenceNumber" from $.deliveries d where ${IS_BOUNCED}) and ?::text = 'bounced'`;

function sortExpression(id: string, { kind, isNullable }: Field): string {
  const value = isNullable ? `coalesce(a."${id}", '')` : `a."${id}"`;
  return kind === 'text' ? `lower(${value})` : value;
}

function defineListedTable<Kind extends SubmissionKind>(
  { kind, fields, filters }: ListDefinition & { readonly kind: Kind },
  ranks: Readonly<Record<string, RankColumn>> = WORK_RANKS,
): ListedTable<ListedRecord<Submissions[Kind]>> {
  const { name, columns } = SUBMISSION_TABLES[kind];
  const sortable = Object.entries(fields).filter(([, { sort }]) => sort !== undefined);
  const sortOf = (id: string, field: Field): string =>
    ranks[id] ? `a."${ranks[id][0]}"` : sortExpression(id, field);
  const filterOf = (id: string) => {
    if (id === 'mail') return { sql: BOUNCED_FILTER, bind: String };
    if (id === 'waiting') return { sql: `${IS_WAITING} and ?::text = 'applicant'`, bind: String };
    const [column, bind = String] = ranks[id] ?? [id];
    return { sql: `a."${column}" = ?`, bind };
  };
  return {
    table: `$.${name}`,
    kind,
    columns: [
      ...columns.map((column) => `a."${column}"`),
      `a."assigneeId", a."dueRank", ${kind === 'contact-message' ? 'null::bigint as "dueLeft"' : 'a."dueLeft"'}`,
      '(select m.username from $.admins m where m.id = a."assigneeId") as assignee',
      `${newSubmissionMessagesState(kind, 'mail')} as "emailState"`,
      `${newSubmissionMessagesState(kind, 'telegram')} as "telegramState"`,
      `${HAS_BOUNCED_MAIL} as "mailBounced"`,
    ].join(', '),
    sorts: Object.fromEntries(sortable.map(([id, field]) => [id, sortOf(id, field)])),
    filters: Object.fromEntries(columnFilters(filters).map((id) => [id, filterOf(id)])),
    toRow: (row) =>
      Object.assign(toSubmission(kind, row, row.details as RawRow), toRecordAssignment(row), {
        emailSent: row.emailState === 'sent',
        telegramSent: row.telegramState === 'sent',
      }) as ListedRecord<Submissions[Kind]>,
  };
}

export const LISTED_TABLES: { readonly [Id in RecordListId]: ListedTable<ListedRows[Id]> } = {
  applications: defineListedTable(ADMIN_LISTS.applications, APPLICATION_RANKS),
  contacts: defineListedTable(ADMIN_LISTS.contacts),
  'verification-requests': defineListedTable(ADMIN_LISTS['verification-requests']),
  'loan-applications': defineListedTable(ADMIN_LISTS['loan-applications']),
};
