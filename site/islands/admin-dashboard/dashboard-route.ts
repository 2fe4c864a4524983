import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { useMemo } from 'react';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { isFilterValue, sortsOf } from '../../../data/model/define-list.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import type { ListView } from '../admin/admin-calls.ts';

/* The fragment of the URL names the view of the dashboard: `#applications?status=received&sort=-name`. Like a query, it can
   be shared and bookmarked. Unlike a query, it is not sent to the server: a search may contain a name. */

/** The tabs in order. The first tab is the default. */
export const DASHBOARD_TABS = ['overview', ...LIST_IDS] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

export const tabLabel = (tab: DashboardTab): string =>
  tab === 'overview' ? 'Overview' : listDefinition(tab).tab;

/** The part of the dashboard that the fragment of the URL names. */
interface DashboardRoute {
  readonly tab: DashboardTab;
  /** The view of the tab's list; null on the overview. */
  readonly list: ListView | null;
  /** The reference number of the record whose dialog is open. */
  readonly record: string | null;
}

const CURSOR_PATTERN = /^[\w.~-]{1,120}$/;
const PAGE_PATTERN = /^[1-9]\d{0,6}$/;
const DAY_PATTERN = /^\d{4}-\d\d-\d\d$/;

/** The default number of rows on a page. They fit on a screen. */
const DEFAULT_ROWS = 25;

/**
 * The default view of a list: its first page, without search and filters. Records that wait for the team come first, sorted
 * by due time, followed by the others, newest first.
 */
export function firstView(list: ListId): ListView {
  const { fields, sortedBy } = listDefinition(list);
  const sorting = 'dueAt' in fields ? ({ sort: 'dueAt', order: 'asc' } as const) : newestFirst(sortedBy);
  return { q: '', filters: {}, ...sorting, rows: DEFAULT_ROWS, after: null, page: 1 };
}

const newestFirst = (sort: string) => ({ sort, order: 'desc' }) as const;

/** The newest records of a list. */
export const newestView = (list: ListId): ListView => ({
  ...firstView(list),
  ...newestFirst(listDefinition(list).sortedBy),
});

/** The route to a list, with changes to its default view. */
export function listRoute(list: ListId, part: Partial<ListView> = {}): DashboardRoute {
  return { tab: list, record: null, list: { ...firstView(list), ...part } };
}

export function tabRoute(tab: DashboardTab): DashboardRoute {
  return tab === 'overview' ? { tab, record: null, list: null } : listRoute(tab);
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

export function readList(list: ListId, parameters: URLSearchParams): ListView {
  const first = firstView(list);
  const sorting = parameters.get('sort') ?? '';
  const sort = sorting.replace(/^-/, '');
  const isKnown = sortsOf(listDefinition(list)).includes(sort);
  const after = parameters.get('after');
  const page = parameters.get('page') ?? '';
  const isLater = after !== null && CURSOR_PATTERN.test(after) && PAGE_PATTERN.test(page);
  return {
    q: (parameters.get('q') ?? '').slice(0, MAX_REVIEW_TEXT_LENGTH.search),
    filters: readFilters(list, parameters),
    sort: isKnown ? sort : first.sort,
    order: !isKnown ? first.order : sorting.startsWith('-') ? 'desc' : 'asc',
    rows: PAGE_SIZES.find((size) => String(size) === parameters.get('rows')) ?? first.rows,
    after: isLater ? after : null,
    page: isLater ? Number(page) : 1,
  };
}

/** Parses a fragment. Missing and invalid parts get default values. */
export function readDashboardRoute(fragment: string): DashboardRoute {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  const tab = DASHBOARD_TABS.find((one) => one === name) ?? 'overview';
  const parameters = new URLSearchParams(query);
  const record = parameters.get('record');
  return {
    tab,
    list: tab === 'overview' ? null : readList(tab, parameters),
    record: record !== null && REFERENCE_NUMBER.test(record) ? record : null,
  };
}

/** The fragment for a route, without default values; empty for the overview. */
export function writeDashboardRoute({ tab, list, record }: DashboardRoute): string {
  const parameters = new URLSearchParams();
  if (list !== null && tab !== 'overview') {
    const first = firstView(tab);
    if (list.q !== '') parameters.set('q', list.q);
    for (const [name, value] of Object.entries(list.filters)) parameters.set(name, value);
    if (list.sort !== first.sort || list.order !== first.order) {
      parameters.set('sort', `${list.order === 'desc' ? '-' : ''}${list.sort}`);
    }
    if (list.rows !== first.rows) parameters.set('rows', String(list.rows));
    if (list.after !== null) {
      parameters.set('after', list.after);
      parameters.set('page', String(list.page));
    }
  }
  if (record !== null) parameters.set('record', record);
  const query = parameters.toString();
  if (query !== '') return `#${tab}?${query}`;
  return tab === 'overview' ? '' : `#${tab}`;
}

/** The page of the dashboard. */
export const DASHBOARD = '/admin/dashboard';

/** The URL of a view of the dashboard, without its origin. */
export function dashboardUrl(route: DashboardRoute): string {
  return DASHBOARD + (writeDashboardRoute(route) || '#overview');
}

/** The cursors of the list's earlier pages, for the button to the previous page. The server returns only the next cursor. */
type Trail = readonly (string | null)[];

const TRAIL_KEY = 'adminTrail';
const $entry = atom<{ readonly fragment: string; readonly trail: Trail }>({ fragment: '', trail: [] });

function trailOf(state: unknown): Trail {
  const stored: unknown = Reflect.get(Object(state), TRAIL_KEY);
  return Array.isArray(stored) ? stored.filter((one) => one === null || typeof one === 'string') : [];
}

onMount($entry, () => {
  if (typeof window === 'undefined') return;
  const readEntry = () => $entry.set({ fragment: location.hash, trail: trailOf(history.state) });
  readEntry();
  window.addEventListener('popstate', readEntry);
  return () => window.removeEventListener('popstate', readEntry);
});

function navigate(route: DashboardRoute, trail: Trail, method: 'push' | 'replace'): void {
  const fragment = writeDashboardRoute(route);
  const state = { ...history.state, [TRAIL_KEY]: trail };
  const url = `${location.pathname}${location.search}${fragment}`;
  if (method === 'push') history.pushState(state, '', url);
  else history.replaceState(state, '', url);
  $entry.set({ fragment, trail });
}

export type Dashboard = ReturnType<typeof useDashboard>;

/** The current view of the dashboard, and functions that change it. */
export function useDashboard() {
  const { fragment, trail } = useStore($entry, { ssr: 'initial' });
  return useMemo(() => {
    const route = readDashboardRoute(fragment);
    const { list } = route;
    const changeView = (part: Partial<ListView>, newTrail: Trail, method: 'push' | 'replace' = 'push') => {
      if (list !== null) navigate({ ...route, record: null, list: { ...list, ...part } }, newTrail, method);
    };
    const before = trail.at(-1);
    return {
      route,
      show: (next: DashboardRoute) => navigate(next, [], 'push'),
      /** Changes the view of the list, and returns to its first page. */
      change: (part: Partial<ListView>) =>
        changeView({ ...part, after: null, page: 1 }, [], part.q === undefined ? 'push' : 'replace'),
      nextPage: (after: string) =>
        changeView({ after, page: (list?.page ?? 0) + 1 }, [...trail, list?.after ?? null]),
      /** Null if the previous page is unknown, as after opening a shared link. */
      previousPage:
        list === null || before === undefined
          ? null
          : () => changeView({ after: before, page: list.page - 1 }, trail.slice(0, -1)),
      firstPage: () => changeView({ after: null, page: 1 }, []),
      /** Opens the dialog of a record; null closes it. */
      open: (record: string | null) =>
        navigate({ ...route, record }, trail, route.record === null ? 'push' : 'replace'),
    };
  }, [fragment, trail]);
}
