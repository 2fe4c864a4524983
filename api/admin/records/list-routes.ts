import type { Response } from 'express';
import { RECORDS_A_PAGE } from '../../../data/contract/admin-lists.ts';
import {
  adminApplications,
  adminContacts,
  adminDeliveryLogs,
  adminLoans,
  adminRequests,
  searchApplications,
  searchContacts,
  searchDeliveryLogs,
  searchLoans,
  searchRequests,
} from '../../../data/contract/admin-records.ts';
import type { ListedRows, ListFilters, ListName, ListQuery } from '../../../data/store/record-port.ts';
import { readBody } from '../../body.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readQuery } from '../../query.ts';
import { limitCalls } from '../../security/rate-limit.ts';
import { adminRoute } from '../admin-route.ts';
import type { RecordDesk } from './record-desk.ts';
import { applicationRowOf, contactRowOf, deliveryLogRowOf, loanRowOf, requestRowOf } from './record-rows.ts';

const SEARCHES_PER_MINUTE = 120;
const DAY_MS = 86_400_000;

/** What the queries of the lists have in common, as their schemas read them. */
interface Asked {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string | undefined;
}

function queryOf(asked: Asked, firstSort: string, filters: ListFilters): ListQuery {
  const { limit, after = null, sort = firstSort, order = 'desc', from, to, q = null } = asked;
  return {
    limit: limit === undefined ? RECORDS_A_PAGE : Number(limit),
    sort,
    order,
    after,
    from: from === undefined ? null : Date.parse(from),
    before: to === undefined ? null : Date.parse(to) + DAY_MS,
    filters,
    search: q,
  };
}

/** The calls that list records: by GET page by page, by POST with a search text. */
export function listRoutes({ store, admit, decimals, perMinute }: RecordDesk): readonly ApiRoute[] {
  const limit = limitCalls(perMinute ?? SEARCHES_PER_MINUTE, 'admin-searches');

  async function send<Name extends ListName>(
    response: Response,
    name: Name,
    query: ListQuery,
    field: string,
    rowOf: (row: ListedRows[Name]) => unknown,
  ): Promise<void> {
    const { rows, ...page } = await store.records.list(name, query);
    response.json({ [field]: rows.map(rowOf), ...page });
  }

  const applications = (
    asked: ReturnType<typeof adminApplications.query.parse> & Asked,
    response: Response,
  ) => {
    const { status, tier } = asked;
    const known = decimals();
    return send(
      response,
      'applications',
      queryOf(asked, 'createdAt', { status, tier }),
      'applications',
      (row) => applicationRowOf(row, known),
    );
  };
  const contacts = (asked: ReturnType<typeof adminContacts.query.parse> & Asked, response: Response) =>
    send(
      response,
      'contacts',
      queryOf(asked, 'createdAt', { category: asked.category }),
      'contacts',
      contactRowOf,
    );
  const requests = (asked: ReturnType<typeof adminRequests.query.parse> & Asked, response: Response) =>
    send(
      response,
      'requests',
      queryOf(asked, 'createdAt', { status: asked.status }),
      'requests',
      requestRowOf,
    );
  const loans = (asked: ReturnType<typeof adminLoans.query.parse> & Asked, response: Response) =>
    send(
      response,
      'loans',
      queryOf(asked, 'createdAt', { status: asked.status }),
      'loanApplications',
      loanRowOf,
    );
  const logs = (asked: ReturnType<typeof adminDeliveryLogs.query.parse> & Asked, response: Response) => {
    const { method, result, dead } = asked;
    const filters: ListFilters = {
      channel: method === 'email' ? 'mail' : method,
      result,
      isDead: dead === 'only' ? true : undefined,
    };
    return send(response, 'attempts', queryOf(asked, 'attemptedAt', filters), 'logs', deliveryLogRowOf);
  };

  return [
    adminRoute(adminApplications, admit, (_admin, request, response) =>
      applications(readQuery(adminApplications.query, request.query), response),
    ),
    adminRoute(
      searchApplications,
      admit,
      (_admin, request, response) => applications(readBody(searchApplications.body, request.body), response),
      limit,
    ),
    adminRoute(adminContacts, admit, (_admin, request, response) =>
      contacts(readQuery(adminContacts.query, request.query), response),
    ),
    adminRoute(
      searchContacts,
      admit,
      (_admin, request, response) => contacts(readBody(searchContacts.body, request.body), response),
      limit,
    ),
    adminRoute(adminRequests, admit, (_admin, request, response) =>
      requests(readQuery(adminRequests.query, request.query), response),
    ),
    adminRoute(
      searchRequests,
      admit,
      (_admin, request, response) => requests(readBody(searchRequests.body, request.body), response),
      limit,
    ),
    adminRoute(adminLoans, admit, (_admin, request, response) =>
      loans(readQuery(adminLoans.query, request.query), response),
    ),
    adminRoute(
      searchLoans,
      admit,
      (_admin, request, response) => loans(readBody(searchLoans.body, request.body), response),
      limit,
    ),
    adminRoute(adminDeliveryLogs, admit, (_admin, request, response) =>
      logs(readQuery(adminDeliveryLogs.query, request.query), response),
    ),
    adminRoute(
      searchDeliveryLogs,
      admit,
      (_admin, request, response) => logs(readBody(searchDeliveryLogs.body, request.body), response),
      limit,
    ),
  ];
}
