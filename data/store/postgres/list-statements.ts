import type { ListPage } from '../../model/admin-lists.ts';
import { type Condition, conditionValues, whereClause } from '../rules/list-conditions.ts';
import { cappedTotal, MAX_COUNTED } from '../rules/record-lists.ts';
import type { Database, Queries, Statement, Value } from './database.ts';

/**
 * Numbers the placeholders of a statement. The statement has no name, so that the server makes a new plan for each set of values:
 * the best plans differ a lot.
 */
function numberPlaceholders<Row extends object>(
  db: Pick<Database, 'statement'>,
  sql: string,
): Statement<Row> {
  let number = 0;
  const text = sql.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
  return { ...db.statement<Row>(text), name: undefined };
}

/** Runs SQL with a `?` in place of each value. */
export const readRows = <Row extends object>(
  db: Queries & Pick<Database, 'statement'>,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> => db.all(numberPlaceholders<Row>(db, sql), ...values);

export async function countTotal(
  db: Database,
  source: string,
  conditions: readonly Condition<Value>[],
  max = MAX_COUNTED,
): Promise<Pick<ListPage, 'total' | 'isTotalExact'>> {
  const sql = `select count(*) as total from (select from ${source} ${whereClause(conditions)} limit ?) counted`;
  const [row] = await readRows<{ total: number }>(db, sql, [...conditionValues(conditions), max + 1]);
  return cappedTotal(row?.total ?? 0, max);
}
