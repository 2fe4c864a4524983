import {
  adminSearch,
  RESULTS_PER_LIST,
  type RecordSummary,
  SEARCHED_LISTS,
  type SearchedList,
  type SearchResult,
} from '../../../data/contract/admin-search.ts';
import { countryName } from '../../../data/model/countries.ts';
import type { ListedRows } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import type { PortalContext } from '../../portal-context.ts';
import { adminJsonRoute } from '../authorize-admin.ts';
import { excerptOf } from './search-excerpt.ts';
import { iso } from './wire-rows.ts';

type SearchedRow = ListedRows[SearchedList];

/** The searched fields of a record, in order of preference for the excerpt. */
const SEARCHED_FIELDS = [
  'referenceNumber',
  'name',
  'email',
  'walletAddress',
  'telegram',
  'subject',
  'message',
  'country',
] as const;

function searchedTexts(row: SearchedRow): readonly (readonly [field: string, text: string])[] {
  const cells: Readonly<Record<string, unknown>> = { ...row };
  return SEARCHED_FIELDS.flatMap((field) => {
    const text = cells[field];
    if (typeof text !== 'string') return [];
    return [[field, field === 'country' ? countryName(text) : text] as const];
  });
}

export function summaryOf(list: SearchedList, row: SearchedRow): RecordSummary {
  return {
    list,
    referenceNumber: row.referenceNumber,
    name: 'name' in row ? row.name : row.email,
    status: 'status' in row ? row.status : null,
    createdAt: iso(row.createdAt),
  };
}

/** `POST /api/admin/search`: the newest matching records of each kind, each with the field that matches. */
export function searchRoute({ store, authorize }: Pick<PortalContext, 'store' | 'authorize'>): ApiRoute {
  async function matchIn(search: string, row: SearchedRow): Promise<Pick<SearchResult, 'field' | 'excerpt'>> {
    const fieldMatch = excerptOf(search, searchedTexts(row));
    if (fieldMatch) return fieldMatch;
    const messages = await store.conversations.messagesOf(row.referenceNumber);
    const texts = messages
      .toReversed()
      .map(({ subject, text }) => ['conversation', `${subject} ${text}`] as const);
    return excerptOf(search, texts) ?? { field: 'fields', excerpt: [] };
  }

  async function groupOf(list: SearchedList, search: string) {
    const { rows, total, isTotalExact } = await store.records.list(list, {
      limit: RESULTS_PER_LIST,
      sort: 'createdAt',
      order: 'desc',
      after: null,
      from: null,
      before: null,
      filters: {},
      search,
    });
    const results = rows.map(async (row) => ({ ...summaryOf(list, row), ...(await matchIn(search, row)) }));
    return { list, total, isTotalExact, results: await Promise.all(results) };
  }

  return adminJsonRoute(adminSearch, { authorize, limit: 'admin-searches' }, async (_admin, { q }) => {
    const groups = await Promise.all(SEARCHED_LISTS.map((list) => groupOf(list, q)));
    return { groups: groups.filter(({ results }) => results.length > 0) };
  });
}
