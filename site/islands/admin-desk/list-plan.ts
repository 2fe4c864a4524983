import type { ReactNode } from 'react';
import type { ListPage } from './desk-calls.ts';
import type { ListTab } from './list-terms.ts';

export interface ListColumn<Row> {
  readonly id: string;
  readonly name: string;
  /** The parameter value that sorts by it; absent where the list cannot be. */
  readonly sort?: string;
  /** The order that the first press gives; asc where absent. */
  readonly firstOrder?: 'asc' | 'desc';
  readonly isFigure?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** A list of the dashboard. Made once, outside of a render. */
export interface ListPlan<Row, Body extends ListPage> {
  readonly tab: ListTab;
  readonly title: string;
  readonly rowsOf: (body: Body) => readonly Row[];
  readonly columns: readonly ListColumn<Row>[];
  /** The column whose value opens the record. */
  readonly opens: string;
  readonly keyOf: (row: Row) => string;
  readonly referenceOf: (row: Row) => string;
  /** Whether the team is still to decide it. */
  readonly isOpen: (row: Row) => boolean;
  /** Said where there is no row at all. */
  readonly empty: string;
}
