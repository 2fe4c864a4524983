import { useQuery } from '@tanstack/react-query';
import { useTable } from '@tanstack/react-table';
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type ListId, listDefinition, type PageOf } from '../../../data/model/admin-lists.ts';
import { MAX_BULK } from '../../../data/model/bulk.ts';
import { formatCount } from '../../../data/model/count.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import { MAX_REVIEW_TEXT_LENGTH, type SubmissionKind } from '../../../data/model/submission-status.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import { type ListView, listQuery, readPage, useHasRole } from '../admin/admin-calls.ts';
import { Pager } from '../table/Pager.tsx';
import { OrderSelect, Rows } from '../table/Rows.tsx';
import table from '../table/table.module.css';
import { TABLE_OPTIONS } from '../table/table-spec.ts';
import AdminOptions from './AdminOptions.tsx';
import dashboardStyles from './dashboard.module.css';
import { type Dashboard, firstView } from './dashboard-route.ts';
import { ExportButton } from './ExportButton.tsx';
import { handleListKey, useFocusAfterDialog, useUnfocusedKeys } from './keys.ts';
import styles from './list.module.css';
import { columnsOf, isRecordless, isUndecided, type ListRow } from './list-cells.tsx';
import { RetryAll } from './RetryAll.tsx';
import { type Selected, type Selection, SelectionContext, useSelection } from './selection.tsx';
import { labelOf } from './signs.tsx';

/** A request to open the dialog of a record. */
export interface Opening {
  readonly reference: string;
  /**
   * The reference numbers of the page's records, in order. If the opened record is undecided, only those of undecided records.
   */
  readonly queue: readonly string[];
  /** The action that starts when the dialog opens. */
  readonly begin: 'approve' | 'refuse' | null;
  /** Whether the focus stays in the list. */
  readonly isBrowsing?: boolean;
}

const NO_ROWS: readonly ListRow[] = [];
const NO_RECORDS: readonly Selected[] = [];

// Loaded when first used.
const SavedFilters = lazy(() => import('./SavedFilters.tsx'));
const BulkBar = lazy(() => import('./BulkBar.tsx'));

interface RecordListProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** Whether the admin is using the page. */
  readonly isActive: boolean;
  /** Whether there is room for a record beside the list. */
  readonly isWide: boolean;
  readonly onOpen: (opening: Opening) => void;
  /** Closes the record beside the list; null while the record cannot be closed. */
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
  const { title, empty, rowsIn, kind } = listDefinition(list);
  const isSelectable = useHasRole('reviewer') === true && kind !== null;
  const columns = useMemo(() => columnsOf(list, isSelectable), [list, isSelectable]);
  const section = useRef<HTMLElement>(null);
  const rows = data === undefined ? null : (Reflect.get(data, rowsIn) as readonly ListRow[]);
  const selectable = useMemo(
    () =>
      rows !== null && kind !== null && isSelectable ? rows.map((row) => selectedOf(row, kind)) : NO_RECORDS,
    [rows, kind, isSelectable],
  );
  const selection = useSelection(JSON.stringify([list, view.q, view.filters]));
  const selectionContext = useMemo(() => ({ selection, rows: selectable }), [selection, selectable]);
  const hasSelection = selection.records.length > 0;
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
  const openRecord = (row: ListRow, options: Partial<Opening> = {}) => {
    if (isRecordless(row)) return;
    const isOpen = (one: ListRow) => isUndecided(list, one);
    const candidates = (rows ?? []).filter((one) => !isRecordless(one) && (!isOpen(row) || isOpen(one)));
    const queue = [...new Set(candidates.map(({ referenceNumber }) => referenceNumber))];
    onOpen({ reference: row.referenceNumber, queue, begin: null, ...options });
  };
  const rowOf = (reference: string) => rows?.find(({ referenceNumber }) => referenceNumber === reference);
  const onKeyDown = (event: KeyboardEvent | globalThis.KeyboardEvent) =>
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
      close: record !== null ? onClose : hasSelection ? selection.clear : null,
      select: (reference) => {
        const one = selectable.find(({ referenceNumber }) => referenceNumber === reference);
        if (one) selection.toggle(one, selectable);
      },
    });
  useUnfocusedKeys(onKeyDown);

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
        <ExportButton list={list} view={view} total={data?.total} />
      </div>
      <Suspense fallback={<div className={styles.saved} />}>
        <SavedFilters list={list} view={view} dashboard={dashboard} />
      </Suspense>
      <ListTools list={list} view={view} dashboard={dashboard} order={<OrderSelect table={rowTable} />} />
      {list === 'delivery-logs' && view.filters.dead === 'only' && rows?.length ? <RetryAll /> : null}
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
        <SelectionContext value={selectionContext}>
          <Rows
            table={rowTable}
            caption={title}
            skeletonRows={rows === null ? view.rows : null}
            onRow={(row) => openRecord(row)}
            isOld={isPlaceholderData}
            isCurrent={({ referenceNumber }) => referenceNumber === record}
          />
        </SelectionContext>
      )}
      {hasSelection && kind !== null ? (
        <Suspense>
          <BulkBar
            selection={selection}
            more={
              data !== undefined && data.total > selection.records.length ? (
                <SelectAll list={list} view={view} kind={kind} total={data.total} selection={selection} />
              ) : null
            }
          />
        </Suspense>
      ) : null}
    </section>
  );
}

/** The record of a row, as an entry of the selection. */
function selectedOf(row: ListRow, kind: SubmissionKind): Selected {
  const { referenceNumber } = row;
  const name = 'name' in row ? row.name : 'email' in row ? row.email : referenceNumber;
  const [changedAt, assigneeId] = 'changedAt' in row ? [row.changedAt, row.assigneeId] : ['', null];
  const createdAt = 'createdAt' in row ? row.createdAt : '';
  return { referenceNumber, kind, name, createdAt, changedAt, assigneeId };
}

interface SelectAllProps extends Pick<RecordListProps, 'list' | 'view'> {
  readonly kind: SubmissionKind;
  readonly total: number;
  readonly selection: Selection;
}

/** Selects the first matching records, as many as can be changed at once. */
function SelectAll({ list, view, kind, total, selection }: SelectAllProps) {
  const [isBusy, setBusy] = useState(false);
  const reading = useRef<AbortController>(null);
  useEffect(() => () => reading.current?.abort(), []);
  const count = Math.min(total, MAX_BULK);
  const select = async () => {
    reading.current = new AbortController();
    const { signal } = reading.current;
    setBusy(true);
    try {
      const selectedRecords: Selected[] = [];
      let page: ListView | null = { ...view, rows: Math.max(...PAGE_SIZES), after: null, page: 1 };
      while (page !== null && selectedRecords.length < MAX_BULK) {
        const response: PageOf<ListId> = await readPage(list, page, signal);
        const rows = Reflect.get(response, listDefinition(list).rowsIn) as readonly ListRow[];
        selectedRecords.push(...rows.map((row) => selectedOf(row, kind)));
        page = response.next === null ? null : { ...page, after: response.next };
      }
      selection.change(selectedRecords.slice(0, MAX_BULK), true);
    } catch (error) {
      if (signal.aborted) return;
      console.error('The records were not selected.', error);
      void showToast({ title: 'Not selected', text: 'The list could not be loaded.', kind: 'failure' });
    }
    setBusy(false);
  };
  return (
    <button
      type="button"
      className={dashboardStyles.link}
      aria-disabled={isBusy}
      onClick={() => void (isBusy || select())}
    >
      {isBusy
        ? 'Selecting...'
        : `Select ${total > MAX_BULK ? 'the first' : 'all'} ${formatCount(count)} that match`}
    </button>
  );
}

/** Milliseconds from the last keystroke to the search. */
const SEARCH_DELAY_MS = 300;

/** The option that shows the fields for the first and the last day. */
const CUSTOM_RANGE = 'between';

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
  const [showsDays, setShowsDays] = useState(false);
  const hasDays = showsDays || view.filters.from !== undefined || view.filters.to !== undefined;
  const setFilter = (name: string, value: string) => {
    if (name === 'received') {
      const { from: _from, to: _to, received: _received, ...others } = view.filters;
      setShowsDays(value === CUSTOM_RANGE);
      return change({
        filters: value === '' || value === CUSTOM_RANGE ? others : { ...others, received: value },
      });
    }
    const { [name]: _previous, ...others } = view.filters;
    const filters = value === '' ? others : { ...others, [name]: value };
    // With a filter by due time, the records that are due first come first.
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
        {Object.entries(listDefinition(list).filters).map(([name, { label, values, takesAdmin }]) => (
          <label key={name}>
            <span className="visually-hidden">{label}</span>
            <select
              value={view.filters[name] ?? (name === 'received' && hasDays ? CUSTOM_RANGE : '')}
              data-chosen={view.filters[name] !== undefined || (name === 'received' && hasDays)}
              onChange={({ target }) => setFilter(name, target.value)}
            >
              <option value="">{label}: all</option>
              {values.map((option) => (
                <option key={option} value={option}>
                  {labelOf(option)}
                </option>
              ))}
              {name === 'received' ? <option value={CUSTOM_RANGE}>Between…</option> : null}
              {takesAdmin ? <AdminOptions chosen={view.filters[name]} others={values} /> : null}
            </select>
          </label>
        ))}
        {hasDays ? (
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
        ) : null}
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
    const timer = setTimeout(() => onSearch(typed.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed, query, onSearch]);
  return (
    <label className={table.find}>
      <span className="visually-hidden">Search</span>
      <input
        type="search"
        placeholder="Search"
        value={typed}
        maxLength={MAX_REVIEW_TEXT_LENGTH.search}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}
