import { useQuery } from '@tanstack/react-query';
import { useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type ListId, listOf } from '../../../data/model/admin-lists.ts';
import { LONGEST_REVIEW_TEXT } from '../../../data/model/submission-status.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { type ListView, listQuery } from '../admin/admin-calls.ts';
import { Pager } from '../table/Pager.tsx';
import { OrderSelect, Rows } from '../table/Rows.tsx';
import table from '../table/table.module.css';
import { TABLE_OPTIONS } from '../table/table-spec.ts';
import styles from './dashboard.module.css';
import { type Dashboard, firstView } from './dashboard-route.ts';
import { ExportButtons } from './exports.tsx';
import { handleListKey, useFocusAfterDialog } from './keys.ts';
import { columnsOf, isRecordless, type ListRow } from './list-cells.tsx';
import { labelOf } from './signs.tsx';

/** A request to open the dialog of a record. */
export interface Opening {
  readonly reference: string;
  /** The reference numbers of the page's records, in order. If the opened record is undecided, only undecided ones. */
  readonly queue: readonly string[];
  /** The action that starts when the dialog opens. */
  readonly begin: 'approve' | 'refuse' | null;
}

const NO_ROWS: readonly ListRow[] = [];

interface RecordListProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** Whether the admin is using the page. */
  readonly isActive: boolean;
  readonly onOpen: (opening: Opening) => void;
}

/** A list of records. The server sorts, filters, searches and pages all rows. */
export default function RecordList({ list, view, dashboard, isActive, onOpen }: RecordListProps) {
  const reading = useQuery(listQuery(list, view, isActive));
  const { data, error, isFetching, isPlaceholderData } = reading;
  const columns = useMemo(() => columnsOf(list), [list]);
  const { title, empty, rowsIn, undecided } = listOf(list);
  const section = useRef<HTMLElement>(null);
  const rows = data === undefined ? null : (Reflect.get(data, rowsIn) as readonly ListRow[]);
  const isUndecided = (row: ListRow) => 'status' in row && undecided.includes(row.status);
  const isUnfiltered = view.q === '' && Object.keys(view.filters).length === 0;
  const state = useMemo(() => ({ sorting: [{ id: view.sort, desc: view.order === 'desc' }] }), [view]);
  const rowTable = useTable({
    ...TABLE_OPTIONS,
    columns,
    data: rows ?? NO_ROWS,
    getRowId: ({ id }) => id,
    state,
    manualSorting: true,
    manualPagination: true,
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(state.sorting) : update;
      if (next) dashboard.change({ sort: next.id, order: next.desc ? 'desc' : 'asc' });
    },
  });

  useFocusAfterDialog(section, { record: dashboard.route.record, isFetching });
  const next = data?.next ?? null;
  const nextPage = next === null ? null : () => dashboard.nextPage(next);
  const openRecord = (row: ListRow, begin: Opening['begin'] = null) => {
    if (isRecordless(row)) return;
    const candidates = (rows ?? []).filter(
      (one) => !isRecordless(one) && (!isUndecided(row) || isUndecided(one)),
    );
    const queue = [...new Set(candidates.map(({ referenceNumber }) => referenceNumber))];
    onOpen({ reference: row.referenceNumber, queue, begin });
  };
  const onKeyDown = (event: KeyboardEvent) =>
    handleListKey(event, section.current, {
      nextPage,
      previousPage: dashboard.previousPage,
      begin: (index, action) => {
        const row = rows?.[index];
        if (row && isUndecided(row)) openRecord(row, action);
      },
    });

  return (
    <section
      ref={section}
      className={`${table.table} ${styles.rows}`}
      aria-busy={rows === null || isPlaceholderData}
      aria-labelledby={`${list}-title`}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head}>
        <h2 id={`${list}-title`}>{title}</h2>
        <ExportButtons list={list} />
      </div>
      <ListTools list={list} view={view} dashboard={dashboard} order={<OrderSelect table={rowTable} />} />
      <ReadError reading={reading} what={title} />
      {rows === null && error !== null ? null : rows?.length === 0 ? (
        <p className={styles.empty} data-empty>
          {isUnfiltered && view.after === null ? (
            empty
          ) : (
            <>
              No matches.{' '}
              <button type="button" onClick={() => dashboard.change(firstView(list))}>
                Show all
              </button>
            </>
          )}
        </p>
      ) : (
        <Rows
          table={rowTable}
          caption={title}
          skeletonRows={rows === null ? view.rows : null}
          onRow={openRecord}
          isOld={isPlaceholderData}
        />
      )}
      {data === undefined || rows === null || rows.length === 0 ? null : (
        <Pager
          what={title}
          shown={{
            before: (view.page - 1) * view.rows,
            rows: rows.length,
            total: data.total,
            isTotalExact: data.isTotalExact,
          }}
          pageSize={view.rows}
          onPageSize={(size) => dashboard.change({ rows: size })}
          steps={{
            first: view.page > 1 ? dashboard.firstPage : null,
            previous: dashboard.previousPage,
            next: nextPage,
          }}
        />
      )}
    </section>
  );
}

/** Milliseconds from the last keystroke to the search. */
const SEARCH_DELAY = 300;

interface ListToolsProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** The select for the sort order, shown on narrow screens. */
  readonly order: ReactNode;
}

function ListTools({ list, view, dashboard, order }: ListToolsProps) {
  const { change } = dashboard;
  const setFilter = (name: string, value: string) => {
    const { [name]: _previous, ...others } = view.filters;
    change({ filters: value === '' ? others : { ...others, [name]: value } });
  };
  return (
    <div className={`${table.tools} ${styles.tools}`}>
      <Search key={list} query={view.q} onSearch={(q) => change({ q })} />
      {Object.entries(listOf(list).filters).map(([name, { label, values }]) => (
        <label key={name}>
          <span className={table.label}>{label}</span>
          <select value={view.filters[name] ?? ''} onChange={({ target }) => setFilter(name, target.value)}>
            <option value="">All</option>
            {values.map((option) => (
              <option key={option} value={option}>
                {labelOf(option)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <div className={styles.days}>
        {(['from', 'to'] as const).map((name) => (
          <label key={name}>
            <span className={table.label}>{name === 'from' ? 'From' : 'To'}</span>
            <input
              type="date"
              value={view.filters[name] ?? ''}
              onChange={({ target }) => setFilter(name, target.value)}
            />
          </label>
        ))}
      </div>
      {order}
    </div>
  );
}

/** A search field. The search starts when typing pauses. */
function Search({ query, onSearch }: { readonly query: string; readonly onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(query);
  const [seen, setSeen] = useState(query);
  // The back button or the command palette changed the search.
  if (seen !== query) {
    setSeen(query);
    if (query !== typed.trim()) setTyped(query);
  }
  useEffect(() => {
    if (typed.trim() === query) return;
    const timer = setTimeout(() => onSearch(typed.trim()), SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, [typed, query, onSearch]);
  return (
    <label className={table.find}>
      <span className={table.label}>Search</span>
      <input
        type="search"
        value={typed}
        maxLength={LONGEST_REVIEW_TEXT.search}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}
