import {
  type ColumnDef,
  createPaginatedRowModel,
  createSortedRowModel,
  type RowData,
  rowPaginationFeature,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
} from '@tanstack/react-table';
import type { Sorting } from './table-address.ts';

/** The features of TanStack Table that the site uses. */
export const TABLE_FEATURES = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  columnMeta: {} as { readonly isFigure?: boolean },
});

export type Column<Row extends RowData> = ColumnDef<typeof TABLE_FEATURES, Row>;

/** Marks a column of figures, aligned right. */
export const FIGURE = { isFigure: true } as const;

/** Options of every table: sorted by one column, with rows without a value last in either order. */
export const TABLE_OPTIONS = {
  features: TABLE_FEATURES,
  defaultColumn: { sortFn: sortFn_basic, sortUndefined: 'last' },
  enableMultiSort: false,
  enableSortingRemoval: false,
  sortDescFirst: false,
} as const;

export const orderOf = (order: 'asc' | 'desc') => (order === 'asc' ? 'ascending' : 'descending');

/** A filter by the values of one field. */
interface Choice<Row> {
  /** The name of its address parameter. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly valueOf: (row: Row) => string;
}

/** Describes a table without its rows. Create it once, outside of a render. */
export interface TableSpec<Row extends RowData> {
  /** Prefix of its parameters in the page's address. */
  readonly name: string;
  readonly caption: string;
  /** The first column has the row headings. */
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting;
  readonly rowKey: (row: Row) => string;
  /** The text to search. */
  readonly textOf: (row: Row) => string;
  /** Label of the search field: `Find a wallet`. */
  readonly findLabel: string;
  readonly choice?: Choice<Row>;
  readonly csv: {
    readonly fileName: string;
    readonly header: readonly string[];
    readonly cells: (row: Row) => readonly (string | null)[];
  };
}
