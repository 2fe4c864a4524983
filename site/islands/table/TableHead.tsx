import type { Column, Sorting } from './column.ts';
import styles from './table.module.css';
import type { TableControl } from './use-table-view.ts';

interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly control: TableControl;
  /** While the rows are being read there is nothing to sort. */
  readonly isReading: boolean;
}

/** The order that the next press of a column's heading gives. */
export function nextSorting<Row>(column: Column<Row>, sorting: Sorting): Sorting {
  if (sorting.column !== column.id) {
    return { column: column.id, direction: column.firstDirection ?? 'ascending' };
  }
  return { column: column.id, direction: sorting.direction === 'ascending' ? 'descending' : 'ascending' };
}

/** The headings; those of columns that can be sorted are buttons. */
export function TableHead<Row>({ columns, control, isReading }: TableHeadProps<Row>) {
  const { sorting } = control.view;
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const isSorted = sorting.column === column.id && !isReading;
          return (
            <th
              key={column.id}
              scope="col"
              data-figure={column.isFigure}
              {...(isSorted ? { 'aria-sort': sorting.direction } : {})}
            >
              {column.sortKey === undefined || isReading ? (
                column.name
              ) : (
                <button
                  type="button"
                  className={styles.sort}
                  onClick={() => control.change({ sorting: nextSorting(column, sorting) })}
                >
                  {column.name}
                  <svg viewBox="0 0 8 12" aria-hidden="true" data-sorted={isSorted ? sorting.direction : ''}>
                    <path d="M1 4.5 4 1.5 7 4.5" />
                    <path d="M1 7.5 4 10.5 7 7.5" />
                  </svg>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
