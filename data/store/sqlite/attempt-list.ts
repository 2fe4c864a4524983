import { SUBMISSION_KINDS } from '../../model/submission-status.ts';
import type { ListedAttempt, ListPage, ListQuery } from '../record-port.ts';
import { LISTED_TABLES } from './listed-tables.ts';
import { counted, LIMIT, type Statements } from './record-lists.ts';
import { matching } from './record-search.ts';
import { matchText } from './record-words.ts';

type Value = string | number;
type Condition = readonly [sql: string, ...values: Value[]];

const COUNTED_AT_MOST = 10_000;
/** Records that a search finds whose deliveries are sorted whole; beyond it the newest so many are looked at. */
const RECORDS_AT_MOST = 2_000;

const NAMES: Readonly<Record<string, string>> = {
  'card-application': 'select name from card_applications r where r.referenceNumber = d.referenceNumber',
  'contact-message': 'select name from contact_messages r where r.referenceNumber = d.referenceNumber',
  'verification-request':
    'select email from verification_requests r where r.referenceNumber = d.referenceNumber',
  'loan-application': 'select name from loan_applications r where r.referenceNumber = d.referenceNumber',
};
const KIND = "substr(d.event, 1, instr(d.event, '.') - 1)";
const NAME = `case ${KIND} ${Object.entries(NAMES)
  .map(([kind, sql]) => `when '${kind}' then (${sql})`)
  .join(' ')} end`;

const ROW = `t.sequence, t.id, t.deliveryId, ${KIND} as kind, d.event, d.referenceNumber, d.channel, d.audience,
  coalesce(${NAME}, d.referenceNumber) as applicantName, t.maskedRecipient, t.outcome, t.error, t.at, t.latencyMs,
  d.state as deliveryState,
  t.sequence = (select max(n.sequence) from delivery_attempts n where n.deliveryId = t.deliveryId) as isNewest`;

/** The row of an attempt as it is read. */
export function attemptOf(row: Readonly<Record<string, unknown>>): ListedAttempt {
  const kind = SUBMISSION_KINDS.find((known) => known === row.kind);
  if (kind === undefined) throw new RangeError(`The store holds a delivery of ${String(row.kind)}.`);
  return { ...(row as unknown as ListedAttempt), kind, isNewest: row.isNewest === 1 };
}

/** The references of the records that a search finds, in all the word tables; the newest of very many. */
function foundRecords(match: string): Condition {
  const tables = Object.values(LISTED_TABLES).map(
    ({ words }) => `select * from (${matching(words)} order by rowid desc limit ${RECORDS_AT_MOST})`,
  );
  const references = `select referenceNumber from record_search where sequence in (${tables.join(' union all ')})`;
  return [`d.referenceNumber in (${references})`, ...tables.map(() => match)];
}

function hasVeryMany(statements: Statements, match: string): boolean {
  return Object.values(LISTED_TABLES).some(
    ({ words }) =>
      counted(statements, `select count(*) from (${matching(words)} limit ${RECORDS_AT_MOST + 1})`, [match]) >
      RECORDS_AT_MOST,
  );
}

function conditionsOf({ filters, from, before }: ListQuery): Condition[] {
  const { channel, result, isDead } = filters;
  const conditions: Condition[] = [];
  if (channel !== undefined) conditions.push(['d.channel = ?', channel]);
  if (result !== undefined) conditions.push([`t.outcome ${result === 'success' ? '=' : '<>'} 'sent'`]);
  if (isDead) {
    conditions.push([
      "d.state = 'dead' and t.sequence = (select max(n.sequence) from delivery_attempts n where n.deliveryId = d.id)",
    ]);
  }
  if (from !== null) conditions.push(['t.at >= ?', from]);
  if (before !== null) conditions.push(['t.at < ?', before]);
  return conditions;
}

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : `where ${conditions.map(([sql]) => sql).join(' and ')}`;
const valuesOf = (conditions: readonly Condition[]): Value[] => conditions.flatMap(([, ...values]) => values);

/** Tries of deliveries by when they ended: those that were given up are found by their own index. */
function sourceOf({ filters: { isDead }, search }: ListQuery): string {
  if (isDead) {
    return search === null
      ? 'deliveries d indexed by deliveries_dead cross join delivery_attempts t on t.deliveryId = d.id'
      : 'deliveries d join delivery_attempts t on t.deliveryId = d.id';
  }
  return search === null
    ? 'delivery_attempts t cross join deliveries d on d.id = t.deliveryId'
    : 'delivery_attempts t join deliveries d on d.id = t.deliveryId';
}

/** A page of the delivery log. */
export function attemptPage(statements: Statements, query: ListQuery): ListPage<ListedAttempt> {
  if (query.sort !== 'attemptedAt') throw new RangeError(`The delivery log has no sort ${query.sort}.`);
  const { order, filters, search, after, limit } = query;
  const match = search === null ? null : matchText(search);
  const conditions = conditionsOf(query);
  if (search !== null) conditions.push(match === null ? ['0'] : foundRecords(match));
  // Of a delivery that was given up, the end is the end of its newest try.
  const by = filters.isDead && search === null ? 'd.finishedAt' : 't.at';
  const places: Condition[] =
    after === null
      ? []
      : [
          [
            `(${by}, t.sequence) ${order === 'asc' ? '>' : '<'} (select p.at, p.sequence from delivery_attempts p where p.sequence = ?)`,
            Number(after),
          ],
        ];
  const source = sourceOf(query);
  const all = [...conditions, ...places];
  const sql = `select ${ROW} from ${source} ${where(all)} order by ${by} ${order}, t.sequence ${order} ${LIMIT}`;
  const rows = statements(sql).all(...valuesOf(all), limit + 1) as Readonly<Record<string, unknown>>[];
  const shown = rows.slice(0, limit).map(attemptOf);
  const last = shown.at(-1);
  return {
    rows: shown,
    ...totalOf(statements, query, source, conditions, match),
    next: rows.length > shown.length && last ? String(last.sequence) : null,
  };
}

function totalOf(
  statements: Statements,
  { filters, from, before, search }: ListQuery,
  source: string,
  conditions: readonly Condition[],
  match: string | null,
): Pick<ListPage<unknown>, 'total' | 'isTotalExact'> {
  const { channel, result, isDead } = filters;
  if (search === null && from === null && before === null && channel === undefined) {
    const count = (kind: string, status: string | undefined) =>
      counted(
        statements,
        `select sum(rows) from record_counts where kind = ?${status === undefined ? '' : ' and status = ?'}`,
        status === undefined ? [kind] : [kind, status],
      );
    if (isDead && result === undefined) return { total: count('delivery', 'dead'), isTotalExact: true };
    if (!isDead) return { total: count('delivery-attempt', result), isTotalExact: true };
  }
  const sql = `select count(*) from (select 1 from ${source} ${where(conditions)} limit ${COUNTED_AT_MOST + 1})`;
  const total = counted(statements, sql, valuesOf(conditions));
  const isWhole = match === null || !hasVeryMany(statements, match);
  return { total: Math.min(total, COUNTED_AT_MOST), isTotalExact: isWhole && total <= COUNTED_AT_MOST };
}

/** Tries up to a moment in the order in which they were logged, from after a place on. */
export function attemptsForExport(
  statements: Statements,
  { after, until, limit }: { readonly after: string | null; readonly until: number; readonly limit: number },
): { readonly rows: readonly ListedAttempt[]; readonly next: string | null } {
  const sql = `select ${ROW} from delivery_attempts t cross join deliveries d on d.id = t.deliveryId where t.sequence > ? and t.at <= ? order by t.sequence ${LIMIT}`;
  const rows = statements(sql).all(Number(after ?? 0), until, limit) as Readonly<Record<string, unknown>>[];
  const last = rows.at(-1);
  return {
    rows: rows.map(attemptOf),
    next: rows.length === limit && last ? String(last.sequence) : null,
  };
}
