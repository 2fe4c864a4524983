import { useQuery } from '@tanstack/react-query';
import { useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type ListId, listOf } from '../../../data/model/admin-lists.ts';
import { LONGEST_REVIEW_TEXT } from '../../../data/model/submission-status.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { type ListView, listQuery } from '../admin/admin-calls.ts';
import { Pager } from '../table/Pager.tsx';
import { OrderSelect, Rows } from '../table/Rows.tsx';
import table from '../table/table.module.css';
import { TABLE_OPTIONS } from '../table/table-spec.ts';
import { AdminOptions } from './AdminOptions.tsx';
import dashboardStyles from './dashboard.module.css';
import { type Dashboard, firstView } from './dashboard-route.ts';
import { ExportButtons } from './exports.tsx';
import { handleListKey, useFocusAfterDialog } from './keys.ts';
import styles from './list.module.css';
import { columnsOf, isRecordless, isUndecided, type ListRow } from './list-cells.tsx';
import { RetryAll } from './RetryAll.tsx';
import { labelOf } from './signs.tsx';

/** A request to open the dialog of a record. */
export interface Opening {
  readonly reference: string;
  /** The reference numbers of the page's records, in order. If the opened record is undecided, only undecided ones. */
  readonly queue: readonly string[];
  /** The action that starts when the dialog opens. */
  readonly begin: 'approve' | 'refuse' | null;
  /** Whether the focus stays in the list. */
  readonly isBrowsing?: boolean;
}

const NO_ROWS: readonly ListRow[] = [];

interface RecordListProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** Whether the admin is using the page. */
  readonly isActive: boolean;
  /** Whether there is room for a record beside the list. */
  readonly isWide: boolean;
  readonly onOpen: (opening: Opening) => void;
  /** Closes the record beside the list; null while it cannot be closed. */
  readonly onClose: (() => void) | null;
}

/** A list of records. The server sorts, filters, searches and pages all rows. */
export default function RecordList({
  list,
  view,
  dashboard,
  isActive,
  isWide,
  onOpen,
  onClose,
}: RecordListProps) {
  const reading = useQuery(listQuery(list, view, isActive));
  const { data, error, isFetching, isPlaceholderData } = reading;
  const columns = useMemo(() => columnsOf(list), [list]);
  const { title, empty, rowsIn } = listOf(list);
  const section = useRef<HTMLElement>(null);
  const rows = data === undefined ? null : (Reflect.get(data, rowsIn) as readonly ListRow[]);
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

  const { record } = dashboard.route;
  useFocusAfterDialog(section, { record, isFetching });
  const next = data?.next ?? null;
  const nextPage = next === null ? null : () => dashboard.nextPage(next);
  const openRecord = (row: ListRow, how: Partial<Opening> = {}) => {
    if (isRecordless(row)) return;
    const isOpen = (one: ListRow) => isUndecided(list, one);
    const candidates = (rows ?? []).filter((one) => !isRecordless(one) && (!isOpen(row) || isOpen(one)));
    const queue = [...new Set(candidates.map(({ referenceNumber }) => referenceNumber))];
    onOpen({ reference: row.referenceNumber, queue, begin: null, ...how });
  };
  const rowOf = (reference: string) => rows?.find(({ referenceNumber }) => referenceNumber === reference);
  const onKeyDown = (event: KeyboardEvent) =>
    handleListKey(event, section.current, {
      nextPage,
      previousPage: dashboard.previousPage,
      begin: (reference, action) => {
        const row = rowOf(reference);
        if (row && isUndecided(list, row)) openRecord(row, { begin: action });
      },
      browse:
        record === null || !isWide
          ? null
          : (reference) => {
              const row = rowOf(reference);
              if (row) openRecord(row, { isBrowsing: true });
            },
      close: record === null ? null : onClose,
    });

  return (
    <section
      ref={section}
      className={`${table.table} ${styles.list}`}
      aria-busy={rows === null || isPlaceholderData}
      aria-labelledby={`${list}-title`}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head}>
        <h2 id={`${list}-title`}>{title}</h2>
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
        <ExportButtons list={list} />
      </div>
      <ListTools list={list} view={view} dashboard={dashboard} order={<OrderSelect table={rowTable} />} />
      {list === 'delivery-logs' && view.filters.dead === 'only' && data ? (
        <RetryAll failed={data.total} />
      ) : null}
      <ReadError reading={reading} what={title} />
      {rows === null && error !== null ? null : rows?.length === 0 ? (
        <p className={dashboardStyles.empty} data-empty>
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
          onRow={(row) => openRecord(row)}
          isOld={isPlaceholderData}
          isCurrent={({ referenceNumber }) => referenceNumber === record}
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
  const id = useId();
  /** On narrow screens, whether the filters are shown. */
  const [isOpen, setOpen] = useState(false);
  const setFilter = (name: string, value: string) => {
    const { [name]: _previous, ...others } = view.filters;
    const filters = value === '' ? others : { ...others, [name]: value };
    // Of the records that wait, those due first come first.
    change(name === 'due' && value !== '' ? { filters, sort: 'dueAt', order: 'asc' } : { filters });
  };
  return (
    <div className={`${table.tools} ${styles.tools}`}>
      <Search key={list} query={view.q} onSearch={(q) => change({ q })} />
      <button
        type="button"
        className={styles.more}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters
      </button>
      <div id={id} className={styles.filters} data-open={isOpen}>
        {Object.entries(listOf(list).filters).map(([name, { label, values, takesAdmin }]) => (
          <label key={name}>
            <span className="visually-hidden">{label}</span>
            <select
              value={view.filters[name] ?? ''}
              data-chosen={view.filters[name] !== undefined}
              onChange={({ target }) => setFilter(name, target.value)}
            >
              <option value="">{label}: all</option>
              {values.map((option) => (
                <option key={option} value={option}>
                  {labelOf(option)}
                </option>
              ))}
              {takesAdmin ? <AdminOptions chosen={view.filters[name]} others={values} /> : null}
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
      <span className="visually-hidden">Search</span>
      <input
        type="search"
        placeholder="Search"
        value={typed}
        maxLength={LONGEST_REVIEW_TEXT.search}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}
