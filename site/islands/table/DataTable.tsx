import { type ReactNode, useMemo } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import { toCsv } from '../../../data/model/csv.ts';
import { offerDownload } from '../download/offer-download.ts';
import { Bone } from '../figure/Bone.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { Pager } from './Pager.tsx';
import { TableHead } from './TableHead.tsx';
import { TableTools } from './TableTools.tsx';
import styles from './table.module.css';
import type { TablePlan } from './table-plan.ts';
import { type TableControl, useTableView } from './use-table-view.ts';
import { filterRows, pageOf, type RowPage, sortRows } from './view-rows.ts';
import '../../styles/tables.css';

interface DataTableProps<Row> {
  readonly plan: TablePlan<Row>;
  /** Null while they are being read. */
  readonly rows: readonly Row[] | null;
  /** What stands in where there is no row at all, or the rows could not be read. */
  readonly empty: ReactNode;
  /** Beside the count of rows: how old they are. */
  readonly note?: ReactNode;
  /** Rows of the table while it is being read: as many as are likely. 0 where likely there are none. */
  readonly skeletonRows?: number;
}

/** A table that is sorted, searched and paged in the page's address; on narrow screens its rows are cards. */
export function DataTable<Row>({ plan, rows, empty, note, skeletonRows = 10 }: DataTableProps<Row>) {
  const control = useTableView(plan);
  const { find, chosen, sorting, page, pageSize } = control.view;
  const found = useMemo(
    () => filterRows(rows ?? [], { find, chosen }, plan.textOf, plan.choice),
    [rows, find, chosen, plan],
  );
  const sorted = useMemo(() => {
    const keyOf = plan.columns.find(({ id }) => id === sorting.column)?.sortKey;
    return keyOf ? sortRows(found, keyOf, sorting.direction) : found;
  }, [found, sorting, plan]);
  if (rows !== null && rows.length === 0) return <div className={styles.empty}>{empty}</div>;
  if (rows === null && skeletonRows === 0) return <ReadingRows />;

  const shown = pageOf(sorted, page, pageSize);
  const { fileName, header, cells } = plan.csv;
  return (
    <div className={styles.table} aria-busy={rows === null}>
      <TableTools
        plan={plan}
        control={control}
        onDownload={
          rows === null ? null : () => offerDownload(fileName, toCsv(header, sorted.map(cells)), 'text/csv')
        }
      />
      <Rows plan={plan} shown={rows === null ? skeletonRows : shown} control={control} />
      {rows !== null && sorted.length === 0 ? (
        <p className={styles.none}>
          No row of {formatCount(rows.length)} matches.{' '}
          <button type="button" onClick={() => control.change({ find: '', chosen: null })}>
            Show all
          </button>
        </p>
      ) : null}
      <Pager shown={rows === null ? null : shown} control={control} what={plan.caption} note={note} />
    </div>
  );
}

/** Takes the room of the words that stand in where there is no row. */
function ReadingRows() {
  return (
    <div className={styles.empty} aria-busy="true">
      <p className={styles.reading}>
        <LoadingWords /> <Bone width={24} />
      </p>
    </div>
  );
}

/** The table itself: a page of rows, or so many rows that are being read. */
function Rows<Row>({
  plan,
  shown,
  control,
}: {
  readonly plan: TablePlan<Row>;
  readonly shown: RowPage<Row> | number;
  readonly control: TableControl;
}) {
  const { columns, caption, rowKey } = plan;
  // Who scrolls by keyboard has to reach what scrolls.
  const reachable = { role: 'group', tabIndex: 0, 'aria-label': caption };
  return (
    <div className="scroll" {...reachable}>
      <table className={`table stacked ${styles.rows}`}>
        <caption className="visually-hidden">
          {caption}
          {typeof shown === 'number' ? <LoadingWords /> : null}
        </caption>
        <TableHead columns={columns} control={control} isReading={typeof shown === 'number'} />
        {typeof shown === 'number' ? (
          <tbody className="script-only" aria-hidden="true">
            {Array.from({ length: shown }, (_, place) => `row ${place}`).map((row) => (
              <tr key={row}>
                {columns.map(({ id, name, isFigure }) => (
                  <td key={id} data-name={name} data-figure={isFigure}>
                    <Bone width={9} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ) : (
          <tbody>
            {shown.rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map(({ id, name, cell, isFigure }, place) =>
                  place === 0 ? (
                    <th key={id} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={id} data-name={name} data-figure={isFigure}>
                      <span>{cell(row)}</span>
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}
