/* Functions that pass rows to a statement as one array per column: `insert into … select … from unnest($1::text[], …)`. */

/** A column, with a function that returns the column's value in a row. A text column holds text or amounts. */
type Column<Row> =
  | { readonly type: 'bigint'; readonly of: (row: Row) => number | null }
  | { readonly type: 'text'; readonly of: (row: Row) => string | bigint | null };
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** Turns columns of an inner object into columns of the rows that contain such an object. */
export function innerColumns<Inner, Row>(columns: Columns<Inner>, inner: (row: Row) => Inner): Columns<Row> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, of }]) => [
      name,
      { type, of: (row: Row) => of(inner(row)) } as Column<Row>,
    ]),
  );
}

const escapeText = (text: string): string =>
  text.includes('"') || text.includes('\\') ? text.replaceAll(/["\\]/g, '\\$&') : text;

/**
 * Formats an array of text in PostgreSQL's syntax. `pg` would take four times as long, because it checks each value's type.
 */
export function textArray(values: readonly (string | bigint | null)[]): string {
  const parts = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? `"${escapeText(value)}"` : value.toString();
  });
  return `{${parts.join(',')}}`;
}

export function bigintArray(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

export function columnArrays<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  return Object.values(columns).map((column) =>
    column.type === 'text' ? textArray(rows.map(column.of)) : bigintArray(rows.map(column.of)),
  );
}

export const quotedNames = (columns: object): string[] => Object.keys(columns).map((name) => `"${name}"`);
export const quotedNameList = (columns: object): string => quotedNames(columns).join(', ');

const parameters = <Row>(columns: Columns<Row>, from: number): string[] =>
  Object.values(columns).map(({ type }, index) => `$${from + index}::${type}[]`);

/** @param from the number of the first placeholder */
export const arrayParameters = <Row>(columns: Columns<Row>, from: number): string =>
  parameters(columns, from).join(', ');

/**
 * SQL for a select list that turns the arrays into rows, in order.
 * @param from the number of the first placeholder
 */
export const unnestSql = <Row>(columns: Columns<Row>, from: number): string =>
  parameters(columns, from)
    .map((parameter) => `unnest(${parameter})`)
    .join(', ');
