import type { ListPage } from '../../model/admin-lists.ts';
import type { ListedAttempt, ListQuery, StoredPage } from '../record-port.ts';
import { attemptConditions } from '../rules/attempt-conditions.ts';
import { type Condition, conditionValues, whereClause } from '../rules/list-conditions.ts';
import { MAX_MATCHES, toAttempt, toPage, UNCOUNTED_TOTAL } from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { type ReadCounts, storedCount } from './count-changes.ts';
import type { Database, Value } from './database.ts';
import { countTotal, readRows } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { matchCondition } from './record-search.ts';

const SOURCE = '$.delivery_attempts t join $.deliveries d on d.id = t."deliveryId"';

/** For each kind, a query for the applicant's name or, if the form does not ask for a name, for the email address. */
const NAME_QUERIES: Readonly<Record<string, string>> = {
  'card-application': 'select name from $.card_applications',
  'contact-message': 'select name from $.contact_messages',
  'verification-request': 'select email from $.verification_requests',
  'loan-application': 'select name from $.loan_applications',
};
const KIND_EXPRESSION = "split_part(d.event, '.', 1)";
const NAME_EXPRESSION = `case ${KIND_EXPRESSION} ${Object.entries(NAME_QUERIES)
  .map(([kind, sql]) => `when '${kind}' then (${sql} r where r."referenceNumber" = d."referenceNumber")`)
  .join(' ')} end`;
const IS_NEWEST = `t.sequence = (select max(n.sequence) from $.delivery_attempts n where n."deliveryId" = d.id)`;

const ROW_COLUMNS = `t.sequence, t.id, t."deliveryId", ${KIND_EXPRESSION} as kind, d.event, d."referenceNumber", d.channel, d.audience,
  coalesce(${NAME_EXPRESSION}, d."referenceNumber") as "applicantName", t."maskedRecipient" as recipient, t.outcome, t.error,
  t.at as "attemptedAt", t."latencyMs", d.state as "deliveryState", ${IS_NEWEST} as "isNewest"`;

/** The condition for deliveries about the records that match a search: the newest `MAX_MATCHES` records in each list. */
function recordMatchCondition(match: Condition<Value>): Condition<Value> {
  const [sql, ...values] = match;
  const tables = Object.values(LISTED_TABLES).map(
    ({ table }) =>
      `(select a."referenceNumber" from ${table} a where ${sql} order by a."createdAt" desc limit ${MAX_MATCHES})`,
  );
  return [`d."referenceNumber" in (${tables.join(' union all ')})`, ...tables.flatMap(() => values)];
}

async function exceedsMaxMatches(db: Database, match: Condition<Value>): Promise<boolean> {
  for (const { table } of Object.values(LISTED_TABLES)) {
    if (!(await countTotal(db, `${table} a`, [match], MAX_MATCHES)).isTotalExact) return true;
  }
  return false;
}

function afterCursor(sequence: number, order: ListQuery['order']): Condition {
  if (!Number.isSafeInteger(sequence)) return ['false'];
  const cursorColumn = (column: string) =>
    `(select p.${column} from $.delivery_attempts p where p.sequence = ?)`;
  const cursorPosition = `(${cursorColumn('at')}, ${cursorColumn('sequence')})`;
  return [`(t.at, t.sequence) ${order === 'asc' ? '>' : '<'} ${cursorPosition}`, sequence, sequence];
}

export async function attemptPage(
  db: Database,
  readCounts: ReadCounts,
  query: ListQuery,
): Promise<StoredPage<ListedAttempt>> {
  if (query.sort !== 'attemptedAt') throw new RangeError(`Cannot sort the delivery log by ${query.sort}.`);
  const { order, search, after, limit } = query;
  const conditions: Condition<Value>[] = attemptConditions(query, IS_NEWEST);
  const match = search === null ? null : matchCondition(search);
  if (match) conditions.push(recordMatchCondition(match));
  const pageConditions = after === null ? conditions : [...conditions, afterCursor(Number(after), order)];
  const sql = `select ${ROW_COLUMNS} from ${SOURCE} ${whereClause(pageConditions)} order by t.at ${order}, t.sequence ${order} limit ?`;
  const rows = await readRows<RawRow>(db, sql, [...conditionValues(pageConditions), limit + 1]);
  return {
    ...toPage(rows.map(toAttempt), query, ({ sequence }) => String(sequence)),
    ...(query.skipsTotal ? UNCOUNTED_TOTAL : await countAttempts(db, readCounts, query, conditions, match)),
  };
}

async function countAttempts(
  db: Database,
  readCounts: ReadCounts,
  { filters: { method, result, dead }, from, before }: ListQuery,
  conditions: readonly Condition<Value>[],
  match: Condition<Value> | null,
): Promise<Pick<ListPage, 'total' | 'isTotalExact'>> {
  const hasOnlyCountedFilters = match === null && from === null && before === null && method === undefined;
  if (hasOnlyCountedFilters && !(dead && result !== undefined)) {
    const counts = await readCounts();
    const total = dead
      ? storedCount(counts, 'delivery', 'dead')
      : storedCount(counts, 'delivery-attempt', result);
    return { total, isTotalExact: true };
  }
  const { total, isTotalExact } = await countTotal(db, SOURCE, conditions);
  return { total, isTotalExact: isTotalExact && (match === null || !(await exceedsMaxMatches(db, match))) };
}
