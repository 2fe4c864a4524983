import type { Response } from 'express';
import { LIST_CALLS, RECORDS_PER_PAGE } from '../../../data/contract/admin-lists.ts';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { RECEIVED_FILTER_VALUES, receivedSpan } from '../../../data/model/received-filter.ts';
import type { ListQuery } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readBody, readQuery } from '../../request-input.ts';
import { adminRoute, sendJson } from '../authorize-admin.ts';
import { rowWriters } from './wire-rows.ts';
import { workFilter } from './work-routes.ts';

const DAY_MS = 86_400_000;

export interface ListParameters {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string | undefined;
  readonly [filter: string]: string | undefined;
}

/** The overlap of both filters: the days from `from` to `to`, and the named period `received`. */
function queryPeriod(
  { from, to, received }: ListParameters,
  now: number,
): Pick<ListQuery, 'from' | 'before'> {
  const period = RECEIVED_FILTER_VALUES.find((one) => one === received);
  const span = period === undefined ? null : receivedSpan(period, now);
  const starts = [from === undefined ? null : Date.parse(from), span?.from ?? null];
  const ends = [to === undefined ? null : Date.parse(to) + DAY_MS, span?.before ?? null];
  const knownTimes = (times: readonly (number | null)[]) => times.filter((time) => time !== null);
  return {
    from: knownTimes(starts).length === 0 ? null : Math.max(...knownTimes(starts)),
    before: knownTimes(ends).length === 0 ? null : Math.min(...knownTimes(ends)),
  };
}

export function queryOf(list: ListId, parameters: ListParameters, adminId: string, now: number): ListQuery {
  const { limit, after, sort, order = 'desc', q, assignee, due, ...others } = parameters;
  const { from: _from, to: _to, received: _received, ...filters } = others;
  return {
    ...workFilter({ assignee, due }, adminId, now),
    ...queryPeriod(parameters, now),
    limit: limit === undefined ? RECORDS_PER_PAGE : Number(limit),
    sort: sort ?? listDefinition(list).initialSort,
    order,
    after: after ?? null,
    filters,
    search: q ?? null,
  };
}

/** The calls that list records: GET for pages, and POST for a search, because a search term must not be in a URL. */
export function listRoutes({ store, authorize, decimals, now }: PortalContext): readonly ApiRoute[] {
  async function send<Id extends ListId>(
    list: Id,
    parameters: ListParameters,
    adminId: string,
    response: Response,
  ): Promise<void> {
    const { rows, ...page } = await store.records.list(list, queryOf(list, parameters, adminId, now()));
    const write = rowWriters(list).row;
    const bdDecimals = decimals();
    sendJson(response, {
      [listDefinition(list).rowsField]: rows.map((row) => write(row, bdDecimals)),
      ...page,
    });
  }

  return LIST_IDS.flatMap((list) => {
    const { page, search } = LIST_CALLS[list];
    return [
      adminRoute(page, { authorize }, ({ id }, request, response) =>
        send(list, readQuery(page.query, request.query), id, response),
      ),
      adminRoute(search, { authorize, limit: 'admin-searches' }, ({ id }, request, response) =>
        send(list, readBody(search.body, request.body), id, response),
      ),
    ];
  });
}
