import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react';
import type { adminWork } from '../../../data/contract/admin-work.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { listDefinition } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { ReadError } from '../admin/AdminPage.tsx';
import {
  ADMIN_KEY,
  ADMIN_QUERY_OPTIONS,
  LIST_INTERVAL_MS,
  readJson,
  statsQuery,
  useHasRole,
} from '../admin/admin-calls.ts';
import { LoadingText } from '../ui/ReadStates.tsx';
import { DueTime } from './DueTime.tsx';
import styles from './dashboard.module.css';
import type { RecordOpening } from './RecordList.tsx';
import { PageCheckbox, RecordCheckbox, SelectionContext, useSelection } from './selection.tsx';
import { useFocusAfterDialog } from './shortcut-keys.ts';
import work from './work.module.css';

const AdminOptions = lazy(() => import('./AdminOptions.tsx'));
const BulkBar = lazy(() => import('./BulkBar.tsx'));
const MentionList = lazy(() => import('./MentionList.tsx'));

const FILTERS = [
  { id: 'mine', label: 'Mine', query: { assignee: 'me' } },
  { id: 'nobody', label: 'Unassigned', query: { assignee: 'nobody' } },
  { id: 'overdue', label: 'Overdue', query: { due: 'overdue' } },
  { id: 'mentions', label: 'Mentions', query: {} },
] as const;

function workQuery(query: Readonly<Record<string, string>>, shouldPoll: boolean) {
  return infiniteQueryOptions({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, PATHS.adminWork, query],
    queryFn: ({ signal, pageParam }) => {
      const parameters = new URLSearchParams({
        ...query,
        ...(pageParam === null ? {} : { after: pageParam }),
      });
      return readJson<ResponseOf<typeof adminWork>>(`${PATHS.adminWork}?${parameters}`, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: shouldPoll ? LIST_INTERVAL_MS : false,
  });
}

interface WorkFilter {
  readonly id: (typeof FILTERS)[number]['id'] | 'admin' | 'all';
  readonly query: { readonly assignee?: string; readonly due?: string };
}

/** An empty id selects everyone's work. */
const filterForAdmin = (adminId: string): WorkFilter =>
  adminId === '' ? { id: 'all', query: {} } : { id: 'admin', query: { assignee: adminId } };

interface MyWorkProps {
  readonly shouldPoll: boolean;
  readonly openReference: string | null;
  readonly onOpen: (opening: RecordOpening) => void;
}

export function MyWork({ shouldPoll, openReference, onOpen }: MyWorkProps) {
  const [activeFilter, setActiveFilter] = useState<WorkFilter>(FILTERS[0]);
  const showsMentions = activeFilter.id === 'mentions';
  const reading = useInfiniteQuery({ ...workQuery(activeFilter.query, shouldPoll), enabled: !showsMentions });
  // Not polled here, because the navigation already polls these figures.
  const { data: stats } = useQuery(statsQuery(false));
  const unreadCount = stats?.unreadMentions ?? 0;
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = reading;
  const section = useRef<HTMLElement>(null);
  useFocusAfterDialog(section, { openReference, isFetching: reading.isFetching });
  const rows = data?.pages.flatMap(({ work: page }) => page);
  const total = data?.pages[0]?.total ?? 0;
  const [needsAdmins, setNeedsAdmins] = useState(false);
  const maySelect = useHasRole('reviewer') === true;
  const selection = useSelection(JSON.stringify(activeFilter.query));
  const context = { selection, rows: rows ?? [] };
  const onKeyDown = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    const reference = target instanceof HTMLElement ? target.dataset.opens : undefined;
    const focusedRow = rows?.find(({ referenceNumber }) => referenceNumber === reference);
    if (key === 'x' && !ctrlKey && !metaKey && !altKey && maySelect && focusedRow)
      selection.toggle(focusedRow, context.rows);
  };
  const queue = rows?.map(({ referenceNumber }) => referenceNumber) ?? [];
  return (
    <section ref={section} aria-labelledby="my-work" className={work.mine}>
      <div className={styles.head}>
        <h2 id="my-work">My work</h2>
        <div className={work.filters}>
          {FILTERS.map((filter) => (
            <button
              key={filter.id}
              type="button"
              className="button"
              aria-pressed={filter.id === activeFilter.id}
              onClick={() => setActiveFilter(filter)}
            >
              {filter.label}
              {filter.id !== 'mentions' || unreadCount === 0 ? null : (
                <span data-unread={unreadCount}>
                  {' '}
                  {formatCount(unreadCount)}
                  <span className="visually-hidden"> unread</span>
                </span>
              )}
            </button>
          ))}
          <label>
            <span className="visually-hidden">Assignee</span>
            <select
              value={activeFilter.id === 'admin' ? activeFilter.query.assignee : ''}
              data-chosen={activeFilter.id === 'admin'}
              // Loads the admins when the select is about to be used.
              onPointerEnter={() => setNeedsAdmins(true)}
              onFocus={() => setNeedsAdmins(true)}
              onChange={({ target }) => setActiveFilter(filterForAdmin(target.value))}
            >
              <option value="">Assignee: anyone</option>
              <Suspense>{needsAdmins ? <AdminOptions /> : null}</Suspense>
            </select>
          </label>
        </div>
      </div>
      {showsMentions ? null : <ReadError reading={reading} what="My work" />}
      {showsMentions ? (
        <Suspense fallback={<LoadingText />}>
          <MentionList className={work.work} shouldPoll={shouldPoll} onOpen={onOpen} />
        </Suspense>
      ) : rows === undefined ? (
        reading.error === null && <LoadingText />
      ) : rows.length === 0 ? (
        <p className={styles.empty}>Nothing is waiting here.</p>
      ) : (
        <SelectionContext value={context}>
          {maySelect ? (
            <div className={work.selectAll}>
              <PageCheckbox label="Select all shown" />
            </div>
          ) : null}
          {/* Handles the key `x` while a button in a row has the focus. */}
          <ul className={work.work} onKeyDown={onKeyDown}>
            {rows.map(({ referenceNumber, list, name, subject, assignee, dueAt }) => (
              <li key={referenceNumber}>
                {maySelect ? <RecordCheckbox reference={referenceNumber} /> : null}
                <button
                  type="button"
                  data-opens={referenceNumber}
                  onClick={() => onOpen({ reference: referenceNumber, queue, initialAction: null })}
                >
                  <span>{listDefinition(list).tab}</span>
                  <span>{subject === null ? name : `${name}: ${subject}`}</span>
                  <span>{assignee ?? 'Nobody'}</span>
                  <DueTime at={dueAt} />
                </button>
              </li>
            ))}
          </ul>
        </SelectionContext>
      )}
      {selection.records.length === 0 ? null : (
        <Suspense>
          <BulkBar selection={selection} />
        </Suspense>
      )}
      {rows !== undefined && hasNextPage && !showsMentions ? (
        <p className={styles.empty} data-more>
          The first {formatCount(rows.length)} of {formatCount(total)}.{' '}
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Loading...' : 'Show more'}
          </button>
        </p>
      ) : null}
    </section>
  );
}
