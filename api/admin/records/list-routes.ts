import type { Response } from 'express';
import { LIST_CALLS, RECORDS_PER_PAGE } from '../../../data/contract/admin-lists.ts';
import { LIST_IDS, type ListId, listOf } from '../../../data/model/admin-lists.ts';
import type { ListQuery } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readBody, readQuery } from '../../request-input.ts';
import { adminRoute } from '../admit-admin.ts';
import type { RecordContext } from './record-context.ts';
import { wireRow } from './wire-rows.ts';

const DAY_MS = 86_400_000;

/** The parameters of a list call: those that all lists share, and the list's filters. */
interface ListParameters {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string;
  readonly [filter: string]: string | undefined;
}

function queryOf(list: ListId, parameters: ListParameters): ListQuery {
  const { limit, after, sort, order = 'desc', from, to, q, ...filters } = parameters;
  return {
    limit: limit === undefined ? RECORDS_PER_PAGE : Number(limit),
    sort: sort ?? listOf(list).sortedBy,
    order,
    after: after ?? null,
    from: from === undefined ? null : Date.parse(from),
    before: to === undefined ? null : Date.parse(to) + DAY_MS,
    filters,
    search: q ?? null,
  };
}

/** The calls that list records: GET for pages, POST for a search, because the search term must not be in a URL. */
export function listRoutes({ store, admit, decimals }: RecordContext): readonly ApiRoute[] {
  async function send<Id extends ListId>(
    list: Id,
    parameters: ListParameters,
    response: Response,
  ): Promise<void> {
    const { rows, ...page } = await store.records.list(list, queryOf(list, parameters));
    const known = decimals();
    response.json({ [listOf(list).rowsIn]: rows.map((row) => wireRow(list, row, known)), ...page });
  }

  return LIST_IDS.flatMap((list) => {
    const { page, search } = LIST_CALLS[list];
    return [
      adminRoute(page, { admit }, (_admin, request, response) =>
        send(list, readQuery(page.query, request.query), response),
      ),
      adminRoute(search, { admit, limit: 'admin-searches' }, (_admin, request, response) =>
        send(list, readBody(search.body, request.body), response),
      ),
    ];
  });
}
