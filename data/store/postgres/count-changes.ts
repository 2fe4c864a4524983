import type { Database } from './database.ts';

interface StatusCount {
  readonly kind: string;
  readonly status: string;
  readonly rows: number;
  /** The number of stored changes that add up to `rows`. */
  readonly changes: number;
}

/** Beyond this many stored changes, some are replaced by their sums. */
const MAX_CHANGES = 1_000;
/** The maximum number of changes that are replaced at a time. Replacing that many takes less than a second. */
const MAX_REPLACED = 50_000;

/**
 * SQL that runs a statement, and stores how many rows of a kind it added or removed in each status.
 * @param statusSql the statement, which returns the status of each row
 * @param change 1 for rows that were added, -1 for removed ones
 */
export const rowCountingSql = (kind: string, statusSql: string, change: 1 | -1): string => `
  with counted as (${statusSql})
  insert into $.count_changes (kind, status, rows)
  select '${kind}', status, ${change} * count(*) from counted group by status`;

/** The previous version of the program counts each contact message as `received`. These counts are read as `open`. */
const COUNTED_STATUS = `case when kind = 'contact-message' and status = 'received' then 'open' else status end`;

export function prepareReadCounts(db: Database) {
  const statusCounts = db.statement<StatusCount>(`
    select kind, ${COUNTED_STATUS} as status, sum(rows)::bigint as rows, count(*) as changes
    from $.count_changes group by kind, ${COUNTED_STATUS}`);
  // One statement replaces changes with their sum, so other transactions see either the changes or the sum. Changes that another
  // transaction is already replacing are skipped.
  const compact = db.statement(`
    with removed as (
      delete from $.count_changes where sequence in (
        select sequence from $.count_changes order by sequence limit ${MAX_REPLACED} for update skip locked
      ) returning kind, status, rows
    )
    insert into $.count_changes (kind, status, rows)
    select kind, status, sum(rows) from removed group by kind, status having sum(rows) <> 0`);
  return async (): Promise<readonly StatusCount[]> => {
    const counts = await db.all(statusCounts);
    if (counts.reduce((sum, { changes }) => sum + changes, 0) > MAX_CHANGES) await db.run(compact);
    return counts;
  };
}
export type ReadCounts = ReturnType<typeof prepareReadCounts>;

export const storedCount = (counts: readonly StatusCount[], kind: string, status?: string): number =>
  counts
    .filter((one) => one.kind === kind && (status === undefined || one.status === status))
    .reduce((sum, { rows }) => sum + rows, 0);
