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
import { formatCount } from '../../../data/model/digit-grouping.ts';
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
import { type Dashboard, defaultView } from './dashboard-route.ts';
import { ExportButton } from './ExportButton.tsx';
import styles from './list.module.css';
import { columnsOf, isRecordless, isUndecided, type ListRow } from './list-cells.tsx';
import { RetryAll } from './RetryAll.tsx';
import { type SelectedRecord, type Selection, SelectionContext, useSelection } from './selection.tsx';
import { handleListKey, useFocusAfterDialog, useUnfocusedKeys } from './shortcut-keys.ts';
import { labelOf } from './status-labels.tsx';

export interface RecordOpening {
  readonly reference: string;
  /**
   * The reference numbers that the keys `n` and `p` step through, in order. If the opened record is undecided, the queue
   * contains only undecided records.
   */
  readonly queue: readonly string[];
  readonly initialAction: 'approved' | 'refused' | null;
  /** Whether the focus stays in the list. */
  readonly isBrowsing?: boolean;
}

const NO_ROWS: readonly ListRow[] = [];
const NO_RECORDS: readonly SelectedRecord[] = [];

const SavedFilters = lazy(() => import('./SavedFilters.tsx'));
const BulkBar = lazy(() => import('./BulkBar.tsx'));

interface RecordListProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** Whether to poll: true while no live stream delivers the changes. */
  readonly shouldPoll: boolean;
  readonly isWide: boolean;
  readonly onOpen: (opening: RecordOpening) => void;
  /** Closes the record beside the list; null while the record cannot be closed. */
  readonly onClose: (() => void) | null;
}

/** One page of a list. The server sorts, filters, searches and paginates the rows. */
export default function RecordList({
  list,
  view,
  dashboard,
  shouldPoll,
  isWide,
  onOpen,
  onClose,
}: RecordListProps) {
  const reading = useQuery(listQuery(list, view, shouldPoll));
  const { data, error, isFetching, isPlaceholderData } = reading;
  const { title, emptyText, rowsField, kind } = listDefinition(list);
  const isSelectable = useHasRole('reviewer') === true && kind !== null;
  const columns = useMemo(() => columnsOf(list, isSelectable), [list, isSelectable]);
  const section = useRef<HTMLElement>(null);
  const rows = data === undefined ? null : (Reflect.get(data, rowsField) as readonly ListRow[]);
  const selectableRecords = useMemo(
    () =>
      rows !== null && kind !== null && isSelectable
        ? rows.map((row) => toSelectedRecord(row, kind))
        : NO_RECORDS,
    [rows, kind, isSelectable],
  );
  const selection = useSelection(JSON.stringify([list, view.q, view.filters]));
  const selectionContext = useMemo(
    () => ({ selection, rows: selectableRecords }),
    [selection, selectableRecords],
  );
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
      const [newSort] = typeof update === 'function' ? update(state.sorting) : update;
      if (newSort) dashboard.change({ sort: newSort.id, order: newSort.desc ? 'desc' : 'asc' });
    },
  });

  const { openReference } = dashboard.route;
  useFocusAfterDialog(section, { openReference, isFetching });
  const nextCursor = data?.next ?? null;
  const nextPage = nextCursor === null ? null : () => dashboard.nextPage(nextCursor);
  const openRecord = (row: ListRow, options: Partial<RecordOpening> = {}) => {
    if (isRecordless(row)) return;
    const isRowUndecided = (one: ListRow) => isUndecided(list, one);
    const candidates = (rows ?? []).filter(
      (one) => !isRecordless(one) && (!isRowUndecided(row) || isRowUndecided(one)),
    );
    const queue = [...new Set(candidates.map(({ referenceNumber }) => referenceNumber))];
    onOpen({ reference: row.referenceNumber, queue, initialAction: null, ...options });
  };
  const rowOf = (reference: string) => rows?.find(({ referenceNumber }) => referenceNumber === reference);
  const onKeyDown = (event: KeyboardEvent | globalThis.KeyboardEvent) =>
    handleListKey(event, section.current, {
      nextPage,
      previousPage: dashboard.previousPage,
      startAction: (reference, action) => {
        const row = rowOf(reference);
        if (row && isUndecided(list, row)) openRecord(row, { initialAction: action });
      },
      browse:
        openReference === null || !isWide
          ? null
          : (reference) => {
              const row = rowOf(reference);
              if (row) openRecord(row, { isBrowsing: true });
            },
      close: openReference !== null ? onClose : hasSelection ? selection.clear : null,
      select: (reference) => {
        const one = selectableRecords.find(({ referenceNumber }) => referenceNumber === reference);
        if (one) selection.toggle(one, selectableRecords);
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
            range={{
              rowsBefore: (view.page - 1) * view.rows,
              rowCount: rows.length,
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
        <ExportButton list={list} view={view} total={data?.isTotalExact ? data.total : undefined} />
      </div>
      <Suspense fallback={<div className={styles.saved} />}>
        <SavedFilters list={list} view={view} dashboard={dashboard} />
      </Suspense>
      <ListTools
        list={list}
        view={view}
        dashboard={dashboard}
        orderSelect={<OrderSelect table={rowTable} />}
      />
      {list === 'delivery-logs' && view.filters.dead === 'only' && rows?.length ? <RetryAll /> : null}
      <ReadError reading={reading} what={title} />
      {rows === null && error !== null ? null : rows?.length === 0 ? (
        <p className={dashboardStyles.empty} data-empty>
          {isUnfiltered && view.after === null ? (
            emptyText
          ) : (
            <>
              No matches.{' '}
              <button type="button" onClick={() => dashboard.change(defaultView(list))}>
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
            onRowClick={(row) => openRecord(row)}
            isPreviousView={isPlaceholderData}
            isCurrent={({ referenceNumber }) => referenceNumber === openReference}
          />
        </SelectionContext>
      )}
      {hasSelection && kind !== null ? (
        <Suspense>
          <BulkBar
            selection={selection}
            selectMoreButton={
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

function toSelectedRecord(row: ListRow, kind: SubmissionKind): SelectedRecord {
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

/** Selects all matching records or, if there are more than `MAX_BULK`, the first `MAX_BULK`. */
function SelectAll({ list, view, kind, total, selection }: SelectAllProps) {
  const [isBusy, setBusy] = useState(false);
  const abortController = useRef<AbortController>(null);
  useEffect(() => () => abortController.current?.abort(), []);
  const count = Math.min(total, MAX_BULK);
  const select = async () => {
    abortController.current = new AbortController();
    const { signal } = abortController.current;
    setBusy(true);
    try {
      const selectedRecords: SelectedRecord[] = [];
      let pageView: ListView | null = { ...view, rows: Math.max(...PAGE_SIZES), after: null, page: 1 };
      while (pageView !== null && selectedRecords.length < MAX_BULK) {
        const response: PageOf<ListId> = await readPage(list, pageView, signal);
        const rows = Reflect.get(response, listDefinition(list).rowsField) as readonly ListRow[];
        selectedRecords.push(...rows.map((row) => toSelectedRecord(row, kind)));
        pageView = response.next === null ? null : { ...pageView, after: response.next };
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

const SEARCH_DELAY_MS = 300;

const CUSTOM_RANGE = 'between';

interface ListToolsProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
  /** A select for the sort order, shown only on narrow screens. */
  readonly orderSelect: ReactNode;
}

function ListTools({ list, view, dashboard, orderSelect }: ListToolsProps) {
  const { change } = dashboard;
  const id = useId();
  /** In a narrow list, whether the filters are shown. */
  const [isOpen, setOpen] = useState(false);
  const [isRangeChosen, setRangeChosen] = useState(false);
  const showsDayFields = isRangeChosen || view.filters.from !== undefined || view.filters.to !== undefined;
  const setFilter = (name: string, value: string) => {
    if (name === 'received') {
      const { from: _from, to: _to, received: _received, ...otherFilters } = view.filters;
      setRangeChosen(value === CUSTOM_RANGE);
      return change({
        filters: value === '' || value === CUSTOM_RANGE ? otherFilters : { ...otherFilters, received: value },
      });
    }
    const { [name]: _previous, ...otherFilters } = view.filters;
    const filters = value === '' ? otherFilters : { ...otherFilters, [name]: value };
    // A filter by due time also sorts the records by due time, earliest first.
    change(name === 'due' && value !== '' ? { filters, sort: 'dueAt', order: 'asc' } : { filters });
  };
  return (
    <div className={`${table.tools} ${styles.tools}`}>
      <SearchField key={list} query={view.q} onSearch={(q) => change({ q })} />
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
              value={view.filters[name] ?? (name === 'received' && showsDayFields ? CUSTOM_RANGE : '')}
              data-chosen={view.filters[name] !== undefined || (name === 'received' && showsDayFields)}
              onChange={({ target }) => setFilter(name, target.value)}
            >
              <option value="">{label}: all</option>
              {values.map((option) => (
                <option key={option} value={option}>
                  {labelOf(option)}
                </option>
              ))}
              {name === 'received' ? <option value={CUSTOM_RANGE}>Between…</option> : null}
              {takesAdmin ? <AdminOptions selectedId={view.filters[name]} otherValues={values} /> : null}
            </select>
          </label>
        ))}
        {showsDayFields ? (
          <div className={styles.days}>
            {(['from', 'to'] as const).map((name) => (
              <label key={name}>
                <span className={table.label}>{name === 'from' ? 'From' : 'To'}</span>
                <input
                  type="date"
                  // Without a limit, a fifth digit of the year would empty the field.
                  max="9999-12-31"
                  value={view.filters[name] ?? ''}
                  onChange={({ target }) => setFilter(name, target.value)}
                />
              </label>
            ))}
          </div>
        ) : null}
        {orderSelect}
      </div>
    </div>
  );
}

/** The search starts when typing pauses. */
function SearchField({
  query,
  onSearch,
}: {
  readonly query: string;
  readonly onSearch: (q: string) => void;
}) {
  const [typedQuery, setTypedQuery] = useState(query);
  const [lastQuery, setLastQuery] = useState(query);
  // The back button or the command palette may have changed the search.
  if (lastQuery !== query) {
    setLastQuery(query);
    if (query !== typedQuery.trim()) setTypedQuery(query);
  }
  useEffect(() => {
    if (typedQuery.trim() === query) return;
    const timer = setTimeout(() => onSearch(typedQuery.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typedQuery, query, onSearch]);
  return (
    <label className={table.find}>
      <span className="visually-hidden">Search</span>
      <input
        type="search"
        placeholder="Search"
        value={typedQuery}
        maxLength={MAX_REVIEW_TEXT_LENGTH.search}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTypedQuery(target.value)}
      />
    </label>
  );
}
