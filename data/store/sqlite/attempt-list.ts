import type { ListPage } from '../../model/admin-lists.ts';
import type { ListedAttempt, ListQuery, StoredPage } from '../record-port.ts';
import { attemptConditions } from '../rules/attempt-conditions.ts';
import { type Condition, conditionValues, whereClause } from '../rules/list-conditions.ts';
import { MAX_MATCHES, toAttempt, toPage, UNCOUNTED_TOTAL } from '../rules/record-lists.ts';
import type { RawRow } from '../rules/submission-rows.ts';
import { countTotal, LIMIT, maintainedCount, readCount, type Statements } from './list-statements.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { matchingRowsSql, matchText } from './record-search.ts';

const NAME_QUERIES: Readonly<Record<string, string>> = {
  'card-application': 'select name from card_applications r where r.referenceNumber = d.referenceNumber',
  'contact-message': 'select name from contact_messages r where r.referenceNumber = d.referenceNumber',
  'verification-request':
    'select email from verification_requests r where r.referenceNumber = d.referenceNumber',
  'loan-application': 'select name from loan_applications r where r.referenceNumber = d.referenceNumber',
};
const KIND_EXPRESSION = "substr(d.event, 1, instr(d.event, '.') - 1)";
const NAME_EXPRESSION = `case ${KIND_EXPRESSION} ${Object.entries(NAME_QUERIES)
  .map(([kind, sql]) => `when '${kind}' then (${sql})`)
  .join(' ')} end`;

const ROW_COLUMNS = `t.sequence, t.id, t.deliveryId, ${KIND_EXPRESSION} as kind, d.event, d.referenceNumber, d.channel, d.audience,
  coalesce(${NAME_EXPRESSION}, d.referenceNumber) as applicantName, t.maskedRecipient as recipient, t.outcome, t.error,
  t.at as attemptedAt, t.latencyMs,
  d.state as deliveryState,
  t.sequence = (select max(n.sequence) from delivery_attempts n where n.deliveryId = t.deliveryId) as isNewest`;

/**
 * Selects deliveries about the records that a search finds. Only the newest `MAX_MATCHES` matches in each word table
 * count.
 */
function recordMatchCondition(match: string): Condition {
  const tables = Object.values(LISTED_TABLES).map(
    ({ wordTable }) =>
      `select * from (${matchingRowsSql(wordTable)} order by rowid desc limit ${MAX_MATCHES})`,
  );
  const references = `select referenceNumber from record_search where sequence in (${tables.join(' union all ')})`;
  return [`d.referenceNumber in (${references})`, ...tables.map(() => match)];
}

function exceedsMaxMatches(statements: Statements, match: string): boolean {
  return Object.values(LISTED_TABLES).some(
    ({ wordTable }) =>
      readCount(statements, `select count(*) from (${matchingRowsSql(wordTable)} limit ${MAX_MATCHES + 1})`, [
        match,
      ]) > MAX_MATCHES,
  );
}

const IS_NEWEST = 't.sequence = (select max(n.sequence) from delivery_attempts n where n.deliveryId = d.id)';

/**
 * The tables to read. Without a search, their order lets SQLite use the index on the attempts' end times or the index
 * on dead deliveries.
 */
function rowSource({ filters: { dead }, search }: ListQuery): string {
  if (dead) {
    return search === null
      ? 'deliveries d indexed by deliveries_dead cross join delivery_attempts t on t.deliveryId = d.id'
      : 'deliveries d join delivery_attempts t on t.deliveryId = d.id';
  }
  return search === null
    ? 'delivery_attempts t cross join deliveries d on d.id = t.deliveryId'
    : 'delivery_attempts t join deliveries d on d.id = t.deliveryId';
}

export function attemptPage(statements: Statements, query: ListQuery): StoredPage<ListedAttempt> {
  if (query.sort !== 'attemptedAt') throw new RangeError(`Cannot sort the delivery log by ${query.sort}.`);
  const { order, filters, search, after, limit } = query;
  const match = search === null ? null : matchText(search);
  const conditions: Condition[] = attemptConditions(query, IS_NEWEST);
  if (search !== null) conditions.push(match === null ? ['0'] : recordMatchCondition(match));
  // A dead delivery finished when its newest attempt ended, except those that an earlier version cancelled for an erasure.
  const sortColumn = filters.dead && search === null ? 'd.finishedAt' : 't.at';
  const source = rowSource(query);
  const allConditions = [...conditions];
  if (after !== null) {
    // A delivery that is retried between two pages has no `finishedAt` any more.
    const cursor = `(select coalesce(${sortColumn}, t.at), t.sequence from delivery_attempts t join deliveries d on d.id = t.deliveryId where t.sequence = ?)`;
    allConditions.push([
      `(${sortColumn}, t.sequence) ${order === 'asc' ? '>' : '<'} ${cursor}`,
      Number(after),
    ]);
  }
  const sql = `select ${ROW_COLUMNS} from ${source} ${whereClause(allConditions)} order by ${sortColumn} ${order}, t.sequence ${order} ${LIMIT}`;
  const rows = statements(sql).all(...conditionValues(allConditions), limit + 1) as RawRow[];
  return {
    ...toPage(rows.map(toAttempt), query, ({ sequence }) => String(sequence)),
    ...(query.skipsTotal ? UNCOUNTED_TOTAL : countAttempts(statements, query, source, conditions, match)),
  };
}

function countAttempts(
  statements: Statements,
  { filters, from, before, search }: ListQuery,
  source: string,
  conditions: readonly Condition[],
  match: string | null,
): Pick<ListPage, 'total' | 'isTotalExact'> {
  const { method, result, dead } = filters;
  if (search === null && from === null && before === null && method === undefined) {
    if (dead && result === undefined) {
      return { total: maintainedCount(statements, 'delivery', 'dead'), isTotalExact: true };
    }
    if (!dead) return { total: maintainedCount(statements, 'delivery-attempt', result), isTotalExact: true };
  }
  const { total, isTotalExact } = countTotal(statements, source, conditions);
  return { total, isTotalExact: isTotalExact && (match === null || !exceedsMaxMatches(statements, match)) };
}
