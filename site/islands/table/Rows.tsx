import {
  type ColumnDef,
  FlexRender,
  type Header,
  type ReactTable,
  type RowData,
} from '@tanstack/react-table';
import { LoadingText, Skeleton } from '../ui/ReadStates.tsx';
import styles from './table.module.css';
import { orderOf, type TABLE_FEATURES } from './table-spec.ts';
import '../../styles/tables.css';

type Features = typeof TABLE_FEATURES;

interface RowsProps<Row extends RowData> {
  readonly table: ReactTable<Features, Row>;
  readonly caption: string;
  /** The number of placeholder rows; null once the rows are known. */
  readonly skeletonRows: number | null;
  /** Handles a click on a row. For keyboard users, each row also needs a button that does the same. */
  readonly onRowClick?: (row: Row) => void;
  /** Whether the rows are still those of the previous view, because the new rows are loading. */
  readonly isPreviousView?: boolean;
  /** Whether the details of a row are shown. */
  readonly isCurrent?: (row: Row) => boolean;
}

/** The rows as a table. On narrow screens, each row is a card. */
export function Rows<Row extends RowData>({
  table,
  caption,
  skeletonRows,
  onRowClick,
  isPreviousView,
  isCurrent,
}: RowsProps<Row>) {
  const [headerGroup] = table.getHeaderGroups();
  const isLoading = skeletonRows !== null;
  // Without a tab stop, keyboard users could not scroll the table.
  const scrollable = { role: 'group', tabIndex: 0, 'aria-label': caption };
  return (
    <div className="scroll" data-old={isPreviousView} {...scrollable}>
      <table className={`table stacked ${styles.rows}`}>
        <caption className="visually-hidden">
          {caption}
          {isLoading ? <LoadingText /> : null}
        </caption>
        <thead>
          <tr>
            {headerGroup?.headers.map((header) => (
              <Heading key={header.id} header={header} isLoading={isLoading} />
            ))}
          </tr>
        </thead>
        {isLoading ? (
          <tbody className="script-only" aria-hidden="true">
            {Array.from({ length: skeletonRows }, (_, index) => `row ${index}`).map((row) => (
              <tr key={row}>
                {table.getAllLeafColumns().map(({ id, columnDef }) => (
                  <td key={id} data-name={labelOf(columnDef)} {...dataAttributesOf(columnDef)}>
                    <Skeleton width={9} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ) : (
          <tbody>
            {table.getRowModel().rows.map((row) => (
              <tr
                key={row.id}
                aria-current={isCurrent?.(row.original) ? 'true' : undefined}
                onClick={onRowClick && (() => onRowClick(row.original))}
              >
                {row.getAllCells().map((cell, index, cells) =>
                  index === (cells[0]?.column.columnDef.meta?.slot === 'select' ? 1 : 0) ? (
                    <th key={cell.id} scope="row" {...dataAttributesOf(cell.column.columnDef)}>
                      <FlexRender cell={cell} />
                    </th>
                  ) : (
                    <td
                      key={cell.id}
                      data-name={labelOf(cell.column.columnDef)}
                      {...dataAttributesOf(cell.column.columnDef)}
                    >
                      <span>
                        <FlexRender cell={cell} />
                      </span>
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

type ColumnSpec<Row extends RowData> = Pick<ColumnDef<Features, Row>, 'meta'>;

/** The attributes that style sheets use to select the cells of a column. */
const dataAttributesOf = <Row extends RowData>({ meta }: ColumnSpec<Row>) => ({
  'data-figure': meta?.isFigure,
  'data-flexible': meta?.isFlexible,
  'data-slot': meta?.slot,
});

const labelOf = ({ header }: { readonly header?: unknown }): string => String(header);

interface HeadingProps<Row extends RowData> {
  readonly header: Header<Features, Row>;
  readonly isLoading: boolean;
}

function Heading<Row extends RowData>({ header, isLoading }: HeadingProps<Row>) {
  const { column } = header;
  const direction = isLoading ? false : column.getIsSorted();
  const order = direction === false ? undefined : orderOf(direction);
  const { header: title } = column.columnDef;
  // Text must be a direct child of an element, because the JSX runtime translates only such text.
  const label = typeof title === 'string' ? title : <FlexRender header={header} />;
  return (
    <th scope="col" aria-sort={order} {...dataAttributesOf(column.columnDef)}>
      {isLoading || !column.getCanSort() ? (
        label
      ) : (
        <button type="button" className={styles.sort} onClick={column.getToggleSortingHandler()}>
          {label}
          <svg viewBox="0 0 8 12" aria-hidden="true" data-sorted={order ?? ''}>
            <path d="M1 4.5 4 1.5 7 4.5" />
            <path d="M1 7.5 4 10.5 7 7.5" />
          </svg>
        </button>
      )}
    </th>
  );
}

/** Lets the visitor sort the table on narrow screens, where the headings are hidden. */
export function OrderSelect<Row extends RowData>({ table }: Pick<RowsProps<Row>, 'table'>) {
  const [sorting] = table.state.sorting;
  return (
    <label className={styles.narrow}>
      <span className={styles.label}>Order</span>
      <select
        value={sorting ? `${sorting.id} ${sorting.desc}` : ''}
        onChange={({ target }) => {
          const [id = '', desc] = target.value.split(' ');
          table.setSorting([{ id, desc: desc === 'true' }]);
        }}
      >
        {table
          .getAllLeafColumns()
          .filter((column) => column.getCanSort())
          .flatMap(({ id, columnDef }) =>
            (['asc', 'desc'] as const).map((order) => (
              <option key={`${id} ${order}`} value={`${id} ${order === 'desc'}`}>
                {labelOf(columnDef)}, {orderOf(order)}
              </option>
            )),
          )}
      </select>
    </label>
  );
}
