import type { ReactNode } from 'react';

/** What rows are ordered by: exact amounts, times and counts, or text. Null where a row has no such value. */
export type SortKey = bigint | number | string | null;

export type Direction = 'ascending' | 'descending';

/** A column of a table of `Row`. */
export interface Column<Row> {
  /** Names the column in the page's address. */
  readonly id: string;
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Absent where the column cannot be sorted by. */
  readonly sortKey?: (row: Row) => SortKey;
  /** The order that the first press gives; ascending where absent. */
  readonly firstDirection?: Direction;
  /** Figures stand to the right. */
  readonly isFigure?: boolean;
}

/** A choice among the values of one field, all of them being shown until one is chosen. */
export interface Choice<Row> {
  /** Names the choice in the page's address. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly valueOf: (row: Row) => string;
}

export interface Sorting {
  readonly column: string;
  readonly direction: Direction;
}

/** What a visitor has set of a table. */
export interface TableView {
  readonly sorting: Sorting;
  /** Text that shown rows hold; empty for all. */
  readonly find: string;
  /** The option chosen; null for all. */
  readonly chosen: string | null;
  /** From 1. */
  readonly page: number;
  readonly pageSize: PageSize;
}

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
