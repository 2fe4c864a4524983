import { type Column, PAGE_SIZES, type PageSize, type Sorting, type TableView } from './column.ts';

/** The longest text that is looked for. */
const FIND_AT_MOST = 100;
const PAGE = /^[1-9]\d{0,5}$/;

/** What a table's part of an address may say. */
export interface TableTerms {
  /** Begins the table's parameters, so that two tables of a page do not meet. */
  readonly name: string;
  readonly columns: readonly Pick<Column<never>, 'id' | 'sortKey'>[];
  readonly choice?: { readonly id: string; readonly options: readonly string[] };
  readonly sorting: Sorting;
}

const DEFAULT_SIZE: PageSize = PAGE_SIZES[0];

function sortingOf(text: string | null, terms: TableTerms): Sorting {
  const direction = text?.startsWith('-') ? 'descending' : 'ascending';
  const id = text?.replace(/^-/, '');
  const column = terms.columns.find((candidate) => candidate.id === id && candidate.sortKey);
  return column ? { column: column.id, direction } : terms.sorting;
}

/**
 * What an address's query says of a table: `stakers-sort=-amount&stakers-page=2`. What it does not say, or says in terms
 * that the table does not have, is as the table begins.
 */
export function readTableView(query: string, terms: TableTerms): TableView {
  const parameters = new URLSearchParams(query);
  const read = (part: string) => parameters.get(`${terms.name}-${part}`);
  const chosen = terms.choice ? read(terms.choice.id) : null;
  const page = read('page');
  const size = Number(read('rows'));
  return {
    sorting: sortingOf(read('sort'), terms),
    find: (read('find') ?? '').slice(0, FIND_AT_MOST),
    chosen: chosen !== null && terms.choice?.options.includes(chosen) ? chosen : null,
    page: page !== null && PAGE.test(page) ? Number(page) : 1,
    pageSize: PAGE_SIZES.find((allowed) => allowed === size) ?? DEFAULT_SIZE,
  };
}

/** The query with what it says of a table replaced; what is as the table begins is left out. */
export function writeTableView(query: string, view: TableView, terms: TableTerms): string {
  const parameters = new URLSearchParams(query);
  const write = (part: string, value: string | null) => {
    if (value === null) parameters.delete(`${terms.name}-${part}`);
    else parameters.set(`${terms.name}-${part}`, value);
  };
  const { column, direction } = view.sorting;
  const isFirst = column === terms.sorting.column && direction === terms.sorting.direction;
  write('sort', isFirst ? null : `${direction === 'descending' ? '-' : ''}${column}`);
  write('find', view.find === '' ? null : view.find);
  if (terms.choice) write(terms.choice.id, view.chosen);
  write('page', view.page === 1 ? null : String(view.page));
  write('rows', view.pageSize === DEFAULT_SIZE ? null : String(view.pageSize));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
