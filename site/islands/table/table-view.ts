import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { useMemo } from 'react';
import { PAGE_SIZES, type PageSize } from '../../../data/model/page-sizes.ts';

/** The query string of the page's URL. It also changes when the visitor goes back or forward. */
export const $pageQuery = atom('');

onMount($pageQuery, () => {
  if (typeof window === 'undefined') return;
  const read = () => $pageQuery.set(location.search);
  read();
  window.addEventListener('popstate', read);
  return () => window.removeEventListener('popstate', read);
});

export function setPageQuery(query: string, method: 'push' | 'replace'): void {
  const url = `${location.pathname}${query}${location.hash}`;
  if (method === 'push') history.pushState(history.state, '', url);
  else history.replaceState(history.state, '', url);
  $pageQuery.set(query);
}

/** The view is part of the URL, so that it can be shared and the back button works. */
export function useTableView(options: TableViewOptions) {
  const query = useStore($pageQuery, { ssr: 'initial' });
  const view = useMemo(() => readTableView(query, options), [query, options]);
  /** Returns to page 1 unless `changes` contains a page. A search adds no history entry. */
  const change = (changes: Partial<TableView>) => {
    const changedView = { ...view, page: 1, ...changes };
    setPageQuery(
      writeTableView(query, changedView, options),
      changes.searchText === undefined ? 'push' : 'replace',
    );
  };
  return { view, change };
}

export interface Sorting {
  readonly id: string;
  readonly desc: boolean;
}

export interface TableView {
  readonly sorting: Sorting;
  /** The search string; empty for all rows. */
  readonly searchText: string;
  /** The selected option; null for all. */
  readonly selectedOption: string | null;
  /** From 1. */
  readonly page: number;
  readonly pageSize: PageSize;
}

export const MAX_SEARCH_LENGTH = 100;
const PAGE = /^[1-9]\d{0,5}$/;

export interface TableViewOptions {
  /** The prefix of the parameters, unique on a page. */
  readonly name: string;
  readonly columns: readonly { readonly id?: string }[];
  readonly choice?: { readonly id: string; readonly options: readonly string[] };
  readonly sorting: Sorting;
}

function sortingOf(text: string | null, options: TableViewOptions): Sorting {
  const id = text?.replace(/^-/, '');
  const column = options.columns.find((one) => one.id === id && 'accessorFn' in one);
  return column?.id === undefined ? options.sorting : { id: column.id, desc: text?.startsWith('-') ?? false };
}

/** Reads a view from a query: `stakers-sort=-amount&stakers-page=2`. Missing or invalid parameters get their initial value. */
export function readTableView(query: string, options: TableViewOptions): TableView {
  const parameters = new URLSearchParams(query);
  const readParameter = (parameter: string) => parameters.get(`${options.name}-${parameter}`);
  const selectedOption = options.choice ? readParameter(options.choice.id) : null;
  const page = readParameter('page');
  const size = Number(readParameter('rows'));
  return {
    sorting: sortingOf(readParameter('sort'), options),
    searchText: (readParameter('find') ?? '').slice(0, MAX_SEARCH_LENGTH),
    selectedOption:
      selectedOption !== null && options.choice?.options.includes(selectedOption) ? selectedOption : null,
    page: page !== null && PAGE.test(page) ? Number(page) : 1,
    pageSize: PAGE_SIZES.find((allowed) => allowed === size) ?? PAGE_SIZES[0],
  };
}

/** Writes a view to a query. Leaves out parameters that have their initial value. */
export function writeTableView(query: string, view: TableView, options: TableViewOptions): string {
  const parameters = new URLSearchParams(query);
  const setParameter = (parameter: string, value: string | null) => {
    if (value === null) parameters.delete(`${options.name}-${parameter}`);
    else parameters.set(`${options.name}-${parameter}`, value);
  };
  const { id, desc } = view.sorting;
  const isInitial = id === options.sorting.id && desc === options.sorting.desc;
  setParameter('sort', isInitial ? null : `${desc ? '-' : ''}${id}`);
  setParameter('find', view.searchText === '' ? null : view.searchText);
  if (options.choice) setParameter(options.choice.id, view.selectedOption);
  setParameter('page', view.page === 1 ? null : String(view.page));
  setParameter('rows', view.pageSize === PAGE_SIZES[0] ? null : String(view.pageSize));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
