import type { ReactNode } from 'react';
import table from '../table/table.module.css';
import styles from './admin-desk.module.css';
import type { ListView } from './desk-address.ts';
import type { ListPage } from './desk-calls.ts';
import type { Desk } from './desk-place.ts';
import type { ListColumn, ListPlan } from './list-plan.ts';

/** A row; a click anywhere in it opens its record. */
export function ListRow<Row, Body extends ListPage>({
  plan,
  row,
  onOpen,
}: {
  readonly plan: ListPlan<Row, Body>;
  readonly row: Row;
  readonly onOpen: () => void;
}) {
  const opener = (content: ReactNode) => (
    <button type="button" data-opens={plan.referenceOf(row)} className={styles.opens}>
      {content}
    </button>
  );
  const cells = plan.columns.map(({ id, name, cell, isFigure }, place) => {
    const content = id === plan.opens ? opener(cell(row)) : cell(row);
    return place === 0 ? (
      <th key={id} scope="row">
        {content}
      </th>
    ) : (
      <td key={id} data-name={name} data-figure={isFigure}>
        <span>{content}</span>
      </td>
    );
  });
  // The keyboard's way is the button in the row.
  return <tr onClick={onOpen}>{cells}</tr>;
}

/** The headings; those of columns that can be sorted by are buttons. */
export function ListHead<Row>({
  columns,
  view,
  desk,
}: {
  readonly columns: readonly ListColumn<Row>[];
  readonly view: ListView;
  readonly desk: Desk;
}) {
  return (
    <thead>
      <tr>
        {columns.map(({ id, name, sort, firstOrder = 'asc', isFigure }) => {
          if (sort === undefined) {
            return (
              <th key={id} scope="col" data-figure={isFigure}>
                {name}
              </th>
            );
          }
          const isSorted = view.sort === sort;
          const direction = view.order === 'asc' ? 'ascending' : 'descending';
          const other = view.order === 'asc' ? 'desc' : 'asc';
          return (
            <th key={id} scope="col" data-figure={isFigure} {...(isSorted ? { 'aria-sort': direction } : {})}>
              <button
                type="button"
                className={table.sort}
                onClick={() => desk.change({ sort, order: isSorted ? other : firstOrder })}
              >
                {name}
                <svg viewBox="0 0 8 12" aria-hidden="true" data-sorted={isSorted ? direction : ''}>
                  <path d="M1 4.5 4 1.5 7 4.5" />
                  <path d="M1 7.5 4 10.5 7 7.5" />
                </svg>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
