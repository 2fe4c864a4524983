import type { Choice, Column, Sorting } from './column.ts';

/** What a table is, whatever rows it has. Made once, outside of a render. */
export interface TablePlan<Row> {
  /** Begins the table's parameters in the page's address. */
  readonly name: string;
  readonly caption: string;
  /** The first one heads its row. */
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting;
  readonly rowKey: (row: Row) => string;
  /** Text that a row is found by. */
  readonly textOf: (row: Row) => string;
  /** Of the field for that text: `Find a wallet`. */
  readonly findLabel: string;
  readonly choice?: Choice<Row>;
  readonly csv: {
    readonly fileName: string;
    readonly header: readonly string[];
    readonly cells: (row: Row) => readonly (string | null)[];
  };
}
