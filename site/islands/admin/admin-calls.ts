import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { adminAuditTrail } from '../../../data/contract/admin-audit-trail.ts';
import type * as Bounces from '../../../data/contract/admin-bounces.ts';
import type * as Bulk from '../../../data/contract/admin-bulk.ts';
import type * as Cards from '../../../data/contract/admin-cards.ts';
import type * as Chat from '../../../data/contract/admin-chat.ts';
import type * as Conversations from '../../../data/contract/admin-conversation.ts';
import type * as Decisions from '../../../data/contract/admin-decisions.ts';
import type * as Erasures from '../../../data/contract/admin-erasures.ts';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import type * as Filters from '../../../data/contract/admin-filters.ts';
import type * as Merges from '../../../data/contract/admin-merges.ts';
import type * as Passkeys from '../../../data/contract/admin-passkeys.ts';
import type { adminRecord } from '../../../data/contract/admin-record.ts';
import type * as Reports from '../../../data/contract/admin-reports.ts';
import type * as Sessions from '../../../data/contract/admin-session.ts';
import type { adminStats } from '../../../data/contract/admin-stats.ts';
import type * as Team from '../../../data/contract/admin-team.ts';
import type * as TopUps from '../../../data/contract/admin-top-ups.ts';
import type * as Totp from '../../../data/contract/admin-totp.ts';
import type * as Webhooks from '../../../data/contract/admin-webhooks.ts';
import type * as Work from '../../../data/contract/admin-work.ts';
import type { BodyOf, Call, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { ListId, PageOf } from '../../../data/model/admin-lists.ts';
import { type AdminRole, mayActAs } from '../../../data/model/admin-rules.ts';
import { callError, errorText } from '../../data/call-error.ts';
import { RequestError } from '../../data/request.ts';
import { saveBlob } from '../ui/download.ts';
import { adminFetch } from './admin-session.ts';

export type Report = ResponseOf<typeof Reports.adminReports>;
export type OwnSession = ResponseOf<typeof Sessions.adminSession>;
export type OpenSession = ResponseOf<typeof Sessions.adminSessions>['sessions'][number];
export type TeamState = ResponseOf<typeof Team.team>;
export type TeamMember = TeamState['team'][number];
export type TeamLink = TeamState['links'][number];
export type DashboardStats = ResponseOf<typeof adminStats>;
export type StoredRecord = ResponseOf<typeof adminRecord>;
export type AuditPage = ResponseOf<typeof adminAuditTrail>;
export type ChatReport = ResponseOf<typeof Chat.adminChat>;
export type TriedQuestion = ResponseOf<typeof Chat.tryQuestion>;
export type WebhookEndpoint = ResponseOf<typeof Webhooks.webhookEndpoints>['endpoints'][number];
export type WebhookDelivery = ResponseOf<typeof Webhooks.webhookDeliveries>['deliveries'][number];
export type ErasureResult = ResponseOf<typeof Erasures.erasePerson>;

/** Milliseconds between two reads of the Duckling report, the top-ups or the webhooks. */
const REFRESH_INTERVAL_MS = 30_000;
/** Milliseconds between two reads of a list, the overview's figures or an incomplete report. */
export const LIST_INTERVAL_MS = 10_000;
/** Milliseconds within which an attempt to send a webhook event usually ends. */
const ATTEMPT_MS = 2_000;
/** Milliseconds. Long, because password checks are slow and the server runs only a few at a time. */
const CHANGE_TIMEOUT_MS = 30_000;

const MAYBE_SAVED =
  'Something went wrong on our side. Check whether the change was saved before you try again.';

/** The first element of most query keys. Each change makes the queries with this element stale. */
export const ADMIN_KEY = 'admin';

/** With `gcTime: 0`, no data stays in memory after the admin signs out. */
export const ADMIN_QUERY_OPTIONS = {
  staleTime: 0,
  gcTime: 0,
  retry: (failures: number, error: Error) => callError(error) === 'failed' && failures < 2,
} as const;

export async function readJson<Body>(
  path: string,
  signal: AbortSignal,
  headers?: Record<string, string>,
): Promise<Body> {
  return (await adminFetch('GET', path, { signal, ...(headers ? { headers } : {}) })).json();
}

export function adminQuery<GetCall extends Call>(path: string) {
  return queryOptions<ResponseOf<GetCall>>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, path],
    queryFn: ({ signal }) => readJson(path, signal),
  });
}

export const ownSessionQuery = () => adminQuery<typeof Sessions.adminSession>(PATHS.adminSession);

/** Whether the signed-in admin has this role or a higher one; undefined while the session loads. The server checks too. */
export function useHasRole(neededRole: AdminRole): boolean | undefined {
  const { data } = useQuery(ownSessionQuery());
  return data && mayActAs(data.user.role, neededRole);
}

export const passkeysQuery = () => adminQuery<typeof Passkeys.passkeys>(PATHS.passkeys);

/** Whether the admin gets the weekly report by email. */
export const weeklyReportQuery = () => adminQuery<typeof Reports.weeklyReport>(PATHS.weeklyReport);

/**
 * The report for the last `days` days, by day or by week. An empty `kind` selects all kinds of records. A complete report is
 * refreshed once a minute, an incomplete one every ten seconds.
 */
export const reportQuery = ({ kind, ...query }: { days: string; by: string; kind: string }) =>
  queryOptions({
    ...adminQuery<typeof Reports.adminReports>(
      `${PATHS.adminReports}?${new URLSearchParams({ ...query, ...(kind && { kind }) })}`,
    ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.isComplete === false ? LIST_INTERVAL_MS : 6 * LIST_INTERVAL_MS,
    refetchOnWindowFocus: true,
  });

/** The admin's open sessions. Owners get the sessions of the whole team. */
export const sessionsQuery = () => adminQuery<typeof Sessions.adminSessions>(PATHS.adminSessions);
/** Only for owners. */
export const teamQuery = () => adminQuery<typeof Team.team>(PATHS.team);
export type TopUpsReport = ResponseOf<typeof TopUps.adminTopUps>;
/** The USDT transfers that were not credited to a card, and the newest credited ones. */
export const topUpsQuery = () =>
  queryOptions({
    ...adminQuery<typeof TopUps.adminTopUps>(PATHS.adminTopUps),
    refetchInterval: REFRESH_INTERVAL_MS,
    refetchOnWindowFocus: true,
  });
/** Only for owners. */
export const webhooksQuery = () =>
  queryOptions({
    ...adminQuery<typeof Webhooks.webhookEndpoints>(PATHS.webhooks),
    refetchInterval: REFRESH_INTERVAL_MS,
    refetchOnWindowFocus: true,
  });
/** Refreshed after the next attempt to send an event, and at least every `REFRESH_INTERVAL_MS`. */
export const webhookDeliveriesQuery = (endpoint: string) =>
  queryOptions({
    ...adminQuery<typeof Webhooks.webhookDeliveries>(`${PATHS.webhookDeliveries}?endpoint=${endpoint}`),
    refetchInterval: ({ state: { data } }) => {
      const waitsMs = (data?.deliveries ?? []).map(({ state, nextAttemptAt }) => {
        if (nextAttemptAt !== null) return Date.parse(nextAttemptAt) - Date.now() + ATTEMPT_MS;
        return state === 'leased' ? ATTEMPT_MS : REFRESH_INTERVAL_MS;
      });
      return Math.max(ATTEMPT_MS, Math.min(REFRESH_INTERVAL_MS, ...waitsMs));
    },
    refetchOnWindowFocus: true,
  });
/** Not refreshed while a group is open, because the admin may be writing an answer. */
export const chatQuery = (isGroupOpen: boolean) =>
  queryOptions({
    ...adminQuery<typeof Chat.adminChat>(PATHS.adminChat),
    refetchInterval: isGroupOpen ? false : REFRESH_INTERVAL_MS,
    refetchOnWindowFocus: !isGroupOpen,
  });
/**
 * Duckling's current answer to a message, and the questions nearest to the message. A POST keeps the message out of the URL.
 * A change makes only the answer stale. The nearest questions are not read again, because their form closes after a change.
 */
export const tryQuestionQuery = (message: string, purpose: 'answer' | 'nearest') =>
  queryOptions<TriedQuestion>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [purpose === 'answer' ? ADMIN_KEY : purpose, PATHS.tryQuestion, message],
    queryFn: async ({ signal }) =>
      (await adminFetch('POST', PATHS.tryQuestion, { payload: { message }, signal })).json(),
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
export const recordQuery = (reference: string) =>
  adminQuery<typeof adminRecord>(`${PATHS.adminRecord}?reference=${reference}`);

/**
 * The audit trail records that match a filter, in pages, newest first.
 * @param filter the parameters by name, without empty parameters
 */
export function auditTrailQuery(filter: Readonly<Record<string, string>>) {
  return infiniteQueryOptions({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, PATHS.adminAuditTrail, filter],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams(pageParam === null ? filter : { ...filter, before: pageParam });
      const parameters = query.size === 0 ? '' : `?${query}`;
      return readJson<AuditPage>(`${PATHS.adminAuditTrail}${parameters}`, signal);
    },
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

export function statsQuery(shouldPoll: boolean) {
  return queryOptions<DashboardStats>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, PATHS.adminStats],
    queryFn: ({ signal }) =>
      readJson(`${PATHS.adminStats}?t=${Date.now()}`, signal, { 'Cache-Control': 'no-cache' }),
    refetchInterval: shouldPoll ? LIST_INTERVAL_MS : false,
  });
}

export type SavedFilter = ResponseOf<typeof Filters.savedFilters>['filters'][number];

export interface ListView {
  /** The search text; empty for no search. */
  readonly q: string;
  /** Filter values by parameter name. */
  readonly filters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  /** Rows per page. */
  readonly rows: number;
  /** The cursor of the page; null for the first page. */
  readonly after: string | null;
  /** The page number, starting at 1. */
  readonly page: number;
}

const parametersOf = ({ filters, sort, order, rows, after }: ListView): Record<string, string> => ({
  ...{ limit: String(rows), ...filters, sort, order },
  ...(after === null ? {} : { after }),
});

/**
 * Reads a page of a list. A search is sent by POST, so that no name or email address gets into the URL.
 * @throws {RequestError}
 */
export async function readPage<Id extends ListId>(
  list: Id,
  view: ListView,
  signal: AbortSignal,
): Promise<PageOf<Id>> {
  const path = PATHS.adminList(list);
  const [parameters, q] = [parametersOf(view), view.q.trim()];
  if (q === '') return readJson(`${path}?${new URLSearchParams(parameters)}`, signal);
  return (await adminFetch('POST', path, { signal, payload: { ...parameters, q } })).json();
}

export function listQuery<Id extends ListId>(list: Id, view: ListView, shouldPoll: boolean) {
  const searchText = view.q.trim();
  return queryOptions<PageOf<Id>>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, PATHS.adminList(list), parametersOf(view), searchText],
    queryFn: ({ signal }) => readPage(list, view, signal),
    placeholderData: keepPreviousData,
    // Does not repeat a search, because searches have a low rate limit.
    refetchInterval: shouldPoll && searchText === '' ? LIST_INTERVAL_MS : false,
  });
}

/** Saves an export. The file name contains the date (UTC). */
export async function saveExport(list: ListId, format: ExportFormat, response: Response): Promise<void> {
  saveBlob(`${list}-${new Date().toISOString().slice(0, 10)}.${format}`, await response.blob());
}

type ContractExports = typeof Bounces &
  typeof Bulk &
  typeof Cards &
  typeof Chat &
  typeof Conversations &
  typeof Decisions &
  typeof Erasures &
  typeof Filters &
  typeof Merges &
  typeof Passkeys &
  Pick<typeof Reports, 'setWeeklyReport'> &
  typeof Sessions &
  typeof Team &
  typeof TopUps &
  typeof Totp &
  typeof Webhooks &
  typeof Work;
type PostCall = Extract<
  ContractExports[keyof ContractExports],
  Call & { readonly method: 'POST'; readonly body: NonNullable<Call['body']> }
>;

type Changes = { readonly [Each in PostCall as Each['path']]: Each };
type ChangePath = keyof Changes;
type ChangeBody<Path extends ChangePath> = BodyOf<Changes[Path]>;
type ChangeResponse<Path extends ChangePath> = ResponseOf<Changes[Path]>;

/** `conflict`: another admin changed the record first, or the record's state no longer allows the change. */
type ChangeOutcome<Path extends ChangePath> =
  | { readonly kind: 'done'; readonly body: ChangeResponse<Path> }
  | { readonly kind: 'conflict' | 'failed'; readonly message: string };

async function sendChange<Path extends ChangePath>(
  path: Path,
  payload: ChangeBody<Path>,
): Promise<ChangeOutcome<Path>> {
  try {
    const signal = AbortSignal.timeout(CHANGE_TIMEOUT_MS);
    const response = await adminFetch('POST', path, { payload, signal });
    return { kind: 'done', body: await response.json() };
  } catch (error) {
    const isConflict = error instanceof RequestError && error.status === 409;
    return { kind: isConflict ? 'conflict' : 'failed', message: errorText(error, MAYBE_SAVED) };
  }
}

export interface ChangeNotice {
  readonly kind: 'done' | 'failed';
  readonly message: string;
}

export interface ChangeSender {
  readonly isBusy: boolean;
  readonly notice: ChangeNotice | null;
  /** While another change runs, sends nothing and resolves to null. */
  readonly send: <Path extends ChangePath>(
    path: Path,
    payload: ChangeBody<Path>,
  ) => Promise<ChangeOutcome<Path> | null>;
  /** Sets `notice` to the outcome. `onDone` returns the success message; null for none. */
  readonly sendAndNotify: <Path extends ChangePath>(
    path: Path,
    payload: ChangeBody<Path>,
    onDone: (body: ChangeResponse<Path>) => string | null,
  ) => Promise<void>;
  readonly showError: (message: string) => void;
  readonly clearNotice: () => void;
}

/** Sends changes one at a time. After each change, even a failed one, the page refreshes all queries with `ADMIN_KEY`. */
export function useChange(): ChangeSender {
  const client = useQueryClient();
  const isSending = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [notice, setNotice] = useState<ChangeNotice | null>(null);
  const send: ChangeSender['send'] = async (path, payload) => {
    if (isSending.current) return null;
    isSending.current = true;
    setBusy(true);
    setNotice(null);
    const outcome = await sendChange(path, payload);
    isSending.current = false;
    setBusy(false);
    // Not awaited, so that the outcome is shown at once.
    void client.invalidateQueries({ queryKey: [ADMIN_KEY] });
    return outcome;
  };
  return {
    isBusy,
    notice,
    send,
    sendAndNotify: async (path, payload, onDone) => {
      const outcome = await send(path, payload);
      if (outcome === null) return;
      if (outcome.kind !== 'done') return setNotice({ kind: 'failed', message: outcome.message });
      const message = onDone(outcome.body);
      if (message !== null) setNotice({ kind: 'done', message });
    },
    showError: (message) => setNotice({ kind: 'failed', message }),
    clearNotice: () => setNotice(null),
  };
}
