import { type RowData, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { toCsv } from '../../../data/model/csv.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import type { Reading } from '../../data/figure-query.ts';
import { downloadText } from '../ui/download.ts';
import { LiveSign } from '../ui/Live.tsx';
import { Loading, ReadNotice } from '../ui/ReadStates.tsx';
import { SearchTextContext } from '../ui/search-text.ts';
import { Pager } from './Pager.tsx';
import { OrderSelect, Rows } from './Rows.tsx';
import styles from './table.module.css';
import { TABLE_OPTIONS, type TableSpec } from './table-spec.ts';
import { MAX_SEARCH_LENGTH, type TableView, useTableView } from './table-view.ts';

interface DataTableProps<Row extends RowData> {
  readonly spec: TableSpec<Row>;
  /** Null while the rows load. */
  readonly rows: readonly Row[] | null;
  /** Shown in place of the table if `rows` is empty. */
  readonly emptyContent: ReactNode;
  /** Shown next to the row count, such as the age of the rows. */
  readonly note?: ReactNode;
  /** The number of placeholder rows while the table loads; 0 if it will probably be empty. */
  readonly skeletonRows?: number;
}

const NO_ROWS: readonly never[] = [];

export function filterRows<Row extends RowData>(
  rows: readonly Row[],
  { searchText, selectedOption }: Pick<TableView, 'searchText' | 'selectedOption'>,
  { searchedTextOf, choice }: Pick<TableSpec<Row>, 'searchedTextOf' | 'choice'>,
): readonly Row[] {
  const text = searchText.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (selectedOption === null || choice === undefined || choice.valueOf(row) === selectedOption) &&
      searchedTextOf(row).toLowerCase().includes(text),
  );
}

export function DataTable<Row extends RowData>({
  spec,
  rows,
  emptyContent,
  note,
  skeletonRows = PAGE_SIZES[0],
}: DataTableProps<Row>) {
  const { view, change } = useTableView(spec);
  const { searchText, selectedOption, sorting, page, pageSize } = view;
  const filteredRows = useMemo(
    () => filterRows(rows ?? NO_ROWS, { searchText, selectedOption }, spec),
    [rows, searchText, selectedOption, spec],
  );
  const pageIndex = Math.min(page, Math.max(1, Math.ceil(filteredRows.length / pageSize))) - 1;
  const state = useMemo(
    () => ({ sorting: [sorting], pagination: { pageIndex, pageSize } }),
    [sorting, pageIndex, pageSize],
  );
  const table = useTable({
    ...TABLE_OPTIONS,
    columns: spec.columns,
    data: filteredRows,
    getRowId: spec.rowKey,
    state,
    autoResetPageIndex: false,
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(state.sorting) : update;
      if (next) change({ sorting: next });
    },
    onPaginationChange: (update) => {
      const next = typeof update === 'function' ? update(state.pagination) : update;
      change({ page: next.pageIndex + 1 });
    },
  });
  if (rows !== null && rows.length === 0) return <div className={styles.empty}>{emptyContent}</div>;
  if (rows === null && skeletonRows === 0) {
    return (
      <div className={styles.empty} aria-busy="true">
        <p className={styles.loading}>
          <Loading width={24} />
        </p>
      </div>
    );
  }

  const { fileName, header, cells } = spec.csv;
  const saveCsv = () => {
    const allRows = table.getPrePaginatedRowModel().rows.map(({ original }) => cells(original));
    downloadText(fileName, toCsv(header, allRows), 'text/csv');
  };
  return (
    <div className={styles.table} aria-busy={rows === null}>
      <div className={`${styles.tools} script-only`}>
        <label className={styles.find}>
          <span className={styles.label}>{spec.findLabel}</span>
          <input
            type="search"
            value={searchText}
            maxLength={MAX_SEARCH_LENGTH}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => change({ searchText: target.value })}
          />
        </label>
        {spec.choice === undefined ? null : (
          <label>
            <span className={styles.label}>{spec.choice.label}</span>
            <select
              value={selectedOption ?? ''}
              onChange={({ target }) => change({ selectedOption: target.value === '' ? null : target.value })}
            >
              <option value="">All</option>
              {spec.choice.options.map((option) => (
                <option key={option} value={option}>
                  {option}
                </option>
              ))}
            </select>
          </label>
        )}
        <OrderSelect table={table} />
        <button type="button" aria-disabled={rows === null} onClick={rows === null ? undefined : saveCsv}>
          CSV<span className="visually-hidden"> of {spec.caption}</span>
        </button>
      </div>
      <SearchTextContext value={searchText}>
        <Rows table={table} caption={spec.caption} skeletonRows={rows === null ? skeletonRows : null} />
      </SearchTextContext>
      {rows !== null && filteredRows.length === 0 ? (
        <p className={styles.noMatches}>
          None of the {formatCount(rows.length)} rows match.{' '}
          <button type="button" onClick={() => change({ searchText: '', selectedOption: null })}>
            Show all
          </button>
        </p>
      ) : null}
      <Pager
        what={spec.caption}
        note={note}
        range={
          rows === null
            ? null
            : {
                rowsBefore: pageIndex * pageSize,
                rowCount: table.getRowModel().rows.length,
                total: filteredRows.length,
                isTotalExact: true,
              }
        }
        pageSize={pageSize}
        onPageSize={(size) => change({ pageSize: PAGE_SIZES.find((known) => known === size) ?? pageSize })}
        steps={{
          first: table.getCanPreviousPage() ? table.firstPage : null,
          previous: table.getCanPreviousPage() ? table.previousPage : null,
          next: table.getCanNextPage() ? table.nextPage : null,
          last: table.getCanNextPage() ? table.lastPage : null,
        }}
      />
    </div>
  );
}

interface ReadTableProps<Row extends RowData> {
  readonly spec: TableSpec<Row>;
  readonly reading: Reading<unknown>;
  /** Empty while the rows are unknown. */
  readonly rows: readonly Row[];
  /** Shown next to the row count. Default: whether the event stream is live. */
  readonly note?: ReactNode;
  readonly skeletonRows?: number;
  /** The name of the rows in the label of the retry button, such as `the stakers`. */
  readonly what: string;
  /** The messages for a failed read, for rows that the server has not read yet, and for no rows. */
  readonly failedText: string;
  readonly unknownText: string;
  readonly emptyText: string;
}

export function ReadTable<Row extends RowData>({
  spec,
  reading,
  rows,
  note,
  skeletonRows,
  ...texts
}: ReadTableProps<Row>) {
  const isLoading = reading.kind === 'loading';
  return (
    <DataTable
      spec={spec}
      rows={isLoading ? null : rows}
      note={note ?? <LiveSign />}
      {...(skeletonRows === undefined ? {} : { skeletonRows })}
      emptyContent={isLoading ? null : <ReadNotice reading={reading} {...texts} />}
    />
  );
}
