import type { Response } from 'express';
import { LIST_CALLS, RECORDS_PER_PAGE } from '../../../data/contract/admin-lists.ts';
import { LIST_IDS, type ListId, listOf } from '../../../data/model/admin-lists.ts';
import type { ListQuery } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readBody, readQuery } from '../../request-input.ts';
import { adminRoute } from '../admit-admin.ts';
import { rowWriters } from './wire-rows.ts';
import { workFilter } from './work-routes.ts';

const DAY_MS = 86_400_000;

/** The parameters that all lists share, and the filters of one list. */
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

function queryOf(list: ListId, parameters: ListParameters, adminId: string, now: number): ListQuery {
  const { limit, after, sort, order = 'desc', from, to, q, assignee, due, ...filters } = parameters;
  return {
    ...workFilter({ assignee, due }, adminId, now),
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

/** The calls that list records: GET for pages, and POST for a search, because a search term must not be in a URL. */
export function listRoutes({ store, admit, decimals, now }: PortalContext): readonly ApiRoute[] {
  async function send<Id extends ListId>(
    list: Id,
    parameters: ListParameters,
    adminId: string,
    response: Response,
  ): Promise<void> {
    const { rows, ...page } = await store.records.list(list, queryOf(list, parameters, adminId, now()));
    const write = rowWriters(list).row;
    const known = decimals();
    response.json({ [listOf(list).rowsIn]: rows.map((row) => write(row, known)), ...page });
  }

  return LIST_IDS.flatMap((list) => {
    const { page, search } = LIST_CALLS[list];
    return [
      adminRoute(page, { admit }, ({ id }, request, response) =>
        send(list, readQuery(page.query, request.query), id, response),
      ),
      adminRoute(search, { admit, limit: 'admin-searches' }, ({ id }, request, response) =>
        send(list, readBody(search.body, request.body), id, response),
      ),
    ];
  });
}
