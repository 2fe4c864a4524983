import { LONGEST_REVIEW_TEXT } from '../../../data/model/record-review.ts';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { DESK_TABS, type DeskTab, LIST_SIZES, LIST_TERMS, type ListTab } from './list-terms.ts';

/*
 * What the dashboard shows is told by the fragment of its address: `#applications?status=received&sort=-name`. A
 * fragment can be shared and kept like a query, and is sent nowhere: what is searched for may be a name.
 */

/** What is asked of a list. */
export interface ListView {
  /** The text that is searched for; empty for none. */
  readonly q: string;
  /** Values by the names of their parameters. */
  readonly filters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  readonly rows: number;
  /** Where the page begins; null for the first one. */
  readonly after: string | null;
  /** From 1. */
  readonly page: number;
}

export interface DeskAddress {
  readonly tab: DeskTab;
  /** Of the list of the tab; null on the overview. */
  readonly list: ListView | null;
  /** Reference number of the record whose dialog is open. */
  readonly record: string | null;
}

const AFTER = /^[\w.~-]{1,120}$/;
const PAGE = /^[1-9]\d{0,6}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** A list as it begins. */
export function firstView(tab: ListTab): ListView {
  const [sort = 'createdAt'] = LIST_TERMS[tab].sorts;
  return { q: '', filters: {}, sort, order: 'desc', rows: LIST_SIZES[0], after: null, page: 1 };
}

function readFilters(tab: ListTab, parameters: URLSearchParams): Record<string, string> {
  const filters: Record<string, string> = {};
  for (const { name, options } of LIST_TERMS[tab].filters) {
    const value = parameters.get(name);
    if (value !== null && options.includes(value)) filters[name] = value;
  }
  for (const name of ['from', 'to']) {
    const day = parameters.get(name);
    if (day !== null && DAY.test(day) && !Number.isNaN(Date.parse(day))) filters[name] = day;
  }
  return filters;
}

function readList(tab: ListTab, parameters: URLSearchParams): ListView {
  const first = firstView(tab);
  const sorting = parameters.get('sort') ?? '';
  const sort = sorting.replace(/^-/, '');
  const isKnown = LIST_TERMS[tab].sorts.includes(sort);
  const after = parameters.get('after');
  const page = parameters.get('page') ?? '';
  const isLater = after !== null && AFTER.test(after) && PAGE.test(page);
  return {
    q: (parameters.get('q') ?? '').slice(0, LONGEST_REVIEW_TEXT.search),
    filters: readFilters(tab, parameters),
    sort: isKnown ? sort : first.sort,
    order: isKnown && !sorting.startsWith('-') ? 'asc' : 'desc',
    rows: LIST_SIZES.find((size) => String(size) === parameters.get('rows')) ?? first.rows,
    after: isLater ? after : null,
    page: isLater ? Number(page) : 1,
  };
}

/** What a fragment says. What it says in terms that there are not is as the dashboard begins. */
export function readDeskAddress(fragment: string): DeskAddress {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  const tab = DESK_TABS.find((one) => one === name) ?? 'overview';
  const parameters = new URLSearchParams(query);
  const record = parameters.get('record');
  return {
    tab,
    list: tab === 'overview' ? null : readList(tab, parameters),
    record: record !== null && REFERENCE_NUMBER.test(record) ? record : null,
  };
}

/** The fragment that says it, with what is as the dashboard begins left out; empty for the overview. */
export function writeDeskAddress({ tab, list, record }: DeskAddress): string {
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
