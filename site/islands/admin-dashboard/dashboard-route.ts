import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { useMemo } from 'react';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { isFilterValue, sortsOf } from '../../../data/model/define-list.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import { REFERENCE_NUMBER_PATTERN } from '../../../data/model/reference-number.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import type { ListView } from '../admin/admin-calls.ts';

/* The URL fragment identifies the dashboard's view: `#applications?status=received&sort=-name`. Like a query string, it can be
   shared and bookmarked. Unlike a query string, it is not sent to the server: a search may contain a person's name. */

/** The first tab is the default. */
export const DASHBOARD_TABS = ['overview', ...LIST_IDS] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

export const tabLabel = (tab: DashboardTab): string =>
  tab === 'overview' ? 'Overview' : listDefinition(tab).tab;

interface DashboardRoute {
  readonly tab: DashboardTab;
  /** The view of the tab's list; null on the overview. */
  readonly view: ListView | null;
  readonly openReference: string | null;
}

const CURSOR_PATTERN = /^[\w.~-]{1,120}$/;
const PAGE_PATTERN = /^[1-9]\d{0,6}$/;
const DAY_PATTERN = /^\d{4}-\d\d-\d\d$/;

/** The default number of rows on a page: as many as fit on a screen. */
const DEFAULT_ROWS = 25;

/**
 * The default view of a list: its first page, without search and filters. Records that are waiting for the team come first,
 * sorted by due time, followed by the others, newest first. A list without due times is sorted newest first.
 */
export function defaultView(list: ListId): ListView {
  const { fields, initialSort } = listDefinition(list);
  const sorting = 'dueAt' in fields ? ({ sort: 'dueAt', order: 'asc' } as const) : newestFirst(initialSort);
  return { q: '', filters: {}, ...sorting, rows: DEFAULT_ROWS, after: null, page: 1 };
}

const newestFirst = (sort: string) => ({ sort, order: 'desc' }) as const;

export const newestView = (list: ListId): ListView => ({
  ...defaultView(list),
  ...newestFirst(listDefinition(list).initialSort),
});

export function listRoute(list: ListId, changes: Partial<ListView> = {}): DashboardRoute {
  return { tab: list, openReference: null, view: { ...defaultView(list), ...changes } };
}

export function tabRoute(tab: DashboardTab): DashboardRoute {
  return tab === 'overview' ? { tab, openReference: null, view: null } : listRoute(tab);
}

function readFilters(list: ListId, parameters: URLSearchParams): Record<string, string> {
  const filters: Record<string, string> = {};
  for (const [name, filter] of Object.entries(listDefinition(list).filters)) {
    const value = parameters.get(name);
    if (value !== null && isFilterValue(filter, value)) filters[name] = value;
  }
  for (const name of ['from', 'to']) {
    const day = parameters.get(name);
    if (day !== null && DAY_PATTERN.test(day) && !Number.isNaN(Date.parse(day))) filters[name] = day;
  }
  return filters;
}

export function readView(list: ListId, parameters: URLSearchParams): ListView {
  const defaults = defaultView(list);
  const sorting = parameters.get('sort') ?? '';
  const sort = sorting.replace(/^-/, '');
  const isKnownSort = sortsOf(listDefinition(list)).includes(sort);
  const after = parameters.get('after');
  const page = parameters.get('page') ?? '';
  const isLaterPage = after !== null && CURSOR_PATTERN.test(after) && PAGE_PATTERN.test(page);
  return {
    q: (parameters.get('q') ?? '').slice(0, MAX_REVIEW_TEXT_LENGTH.search),
    filters: readFilters(list, parameters),
    sort: isKnownSort ? sort : defaults.sort,
    order: !isKnownSort ? defaults.order : sorting.startsWith('-') ? 'desc' : 'asc',
    rows: PAGE_SIZES.find((size) => String(size) === parameters.get('rows')) ?? defaults.rows,
    after: isLaterPage ? after : null,
    page: isLaterPage ? Number(page) : 1,
  };
}

/** Missing and invalid parts get default values. */
export function parseDashboardRoute(fragment: string): DashboardRoute {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  const tab = DASHBOARD_TABS.find((one) => one === name) ?? 'overview';
  const parameters = new URLSearchParams(query);
  const reference = parameters.get('record');
  return {
    tab,
    view: tab === 'overview' ? null : readView(tab, parameters),
    openReference: reference !== null && REFERENCE_NUMBER_PATTERN.test(reference) ? reference : null,
  };
}

/** The fragment for a route, without default values; empty for the overview without an open record. */
export function dashboardFragment({ tab, view, openReference }: DashboardRoute): string {
  const parameters = new URLSearchParams();
  if (view !== null && tab !== 'overview') {
    const defaults = defaultView(tab);
    if (view.q !== '') parameters.set('q', view.q);
    for (const [name, value] of Object.entries(view.filters)) parameters.set(name, value);
    if (view.sort !== defaults.sort || view.order !== defaults.order) {
      parameters.set('sort', `${view.order === 'desc' ? '-' : ''}${view.sort}`);
    }
    if (view.rows !== defaults.rows) parameters.set('rows', String(view.rows));
    if (view.after !== null) {
      parameters.set('after', view.after);
      parameters.set('page', String(view.page));
    }
  }
  if (openReference !== null) parameters.set('record', openReference);
  const query = parameters.toString();
  if (query !== '') return `#${tab}?${query}`;
  return tab === 'overview' ? '' : `#${tab}`;
}

export const DASHBOARD_PATH = '/admin/dashboard';

export function dashboardUrl(route: DashboardRoute): string {
  return DASHBOARD_PATH + (dashboardFragment(route) || '#overview');
}

/** The cursors of the list's earlier pages, for going back. The server returns only the cursor of the next page. */
type EarlierCursors = readonly (string | null)[];

const EARLIER_CURSORS_KEY = 'earlierCursors';
const $historyEntry = atom<{ readonly fragment: string; readonly earlierCursors: EarlierCursors }>({
  fragment: '',
  earlierCursors: [],
});

function earlierCursorsOf(state: unknown): EarlierCursors {
  const storedCursors: unknown = Reflect.get(Object(state), EARLIER_CURSORS_KEY);
  return Array.isArray(storedCursors)
    ? storedCursors.filter((one) => one === null || typeof one === 'string')
    : [];
}

onMount($historyEntry, () => {
  if (typeof window === 'undefined') return;
  const readEntry = () =>
    $historyEntry.set({ fragment: location.hash, earlierCursors: earlierCursorsOf(history.state) });
  readEntry();
  window.addEventListener('popstate', readEntry);
  return () => window.removeEventListener('popstate', readEntry);
});

function navigate(route: DashboardRoute, earlierCursors: EarlierCursors, method: 'push' | 'replace'): void {
  const fragment = dashboardFragment(route);
  const state = { ...history.state, [EARLIER_CURSORS_KEY]: earlierCursors };
  const url = `${location.pathname}${location.search}${fragment}`;
  if (method === 'push') history.pushState(state, '', url);
  else history.replaceState(state, '', url);
  $historyEntry.set({ fragment, earlierCursors });
}

export type Dashboard = ReturnType<typeof useDashboard>;

export function useDashboard() {
  const { fragment, earlierCursors } = useStore($historyEntry, { ssr: 'initial' });
  return useMemo(() => {
    const route = parseDashboardRoute(fragment);
    const { view } = route;
    const changeView = (
      changes: Partial<ListView>,
      newEarlierCursors: EarlierCursors,
      method: 'push' | 'replace' = 'push',
    ) => {
      if (view !== null)
        navigate({ ...route, openReference: null, view: { ...view, ...changes } }, newEarlierCursors, method);
    };
    const previousCursor = earlierCursors.at(-1);
    return {
      route,
      show: (newRoute: DashboardRoute) => navigate(newRoute, [], 'push'),
      /** Changes the view and goes to the first page of the list. */
      change: (changes: Partial<ListView>) =>
        changeView({ ...changes, after: null, page: 1 }, [], changes.q === undefined ? 'push' : 'replace'),
      nextPage: (after: string) =>
        changeView({ after, page: (view?.page ?? 0) + 1 }, [...earlierCursors, view?.after ?? null]),
      /** Null on the first page, and if the previous page is unknown, for example after a shared link was opened. */
      previousPage:
        view === null || previousCursor === undefined
          ? null
          : () => changeView({ after: previousCursor, page: view.page - 1 }, earlierCursors.slice(0, -1)),
      firstPage: () => changeView({ after: null, page: 1 }, []),
      /** Opens a record; null closes the open one. */
      open: (record: string | null) =>
        navigate(
          { ...route, openReference: record },
          earlierCursors,
          route.openReference === null ? 'push' : 'replace',
        ),
    };
  }, [fragment, earlierCursors]);
}
