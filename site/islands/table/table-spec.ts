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
import type { Sorting } from './table-view.ts';

export const TABLE_FEATURES = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  columnMeta: {} as {
    readonly isFigure?: boolean;
    /** Whether the column takes up the remaining width, and truncates its text. */
    readonly isFlexible?: boolean;
    /** The column's place in the admin dashboard's lists while they are narrow. `none` hides the column there. */
    readonly slot?: 'who' | 'what' | 'state' | 'age' | 'reference' | 'action' | 'select' | 'none';
  },
});

export type Column<Row extends RowData> = ColumnDef<typeof TABLE_FEATURES, Row>;

/** Marks a column of numbers, which are aligned at the end of their cells. */
export const FIGURE_COLUMN = { isFigure: true } as const;

/** The options of every table. A table is sorted by one column, and rows without a value are last in either order. */
export const TABLE_OPTIONS = {
  features: TABLE_FEATURES,
  defaultColumn: { sortFn: sortFn_basic, sortUndefined: 'last' },
  enableMultiSort: false,
  enableSortingRemoval: false,
  sortDescFirst: false,
} as const;

export const orderOf = (order: 'asc' | 'desc') => (order === 'asc' ? 'ascending' : 'descending');

interface SelectFilter<Row> {
  /** The name of the filter's parameter in the URL. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly valueOf: (row: Row) => string;
}

/** Describes a table without its rows. It must be the same object in every render. */
export interface TableSpec<Row extends RowData> {
  /** The prefix of the table's parameters in the URL. */
  readonly name: string;
  readonly caption: string;
  /** The first column has the row headings. */
  readonly columns: readonly Column<Row>[];
  /** The initial order. */
  readonly sorting: Sorting;
  readonly rowKey: (row: Row) => string;
  readonly searchedTextOf: (row: Row) => string;
  readonly findLabel: string;
  readonly choice?: SelectFilter<Row>;
  readonly csv: {
    readonly fileName: string;
    readonly header: readonly string[];
    readonly cells: (row: Row) => readonly (string | null)[];
  };
}
