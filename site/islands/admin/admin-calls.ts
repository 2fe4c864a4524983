import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { adminAuditTrail } from '../../../data/contract/admin-audit-trail.ts';
import type { adminChat } from '../../../data/contract/admin-chat.ts';
import type {
  addNote,
  decideApplication,
  decideRequest,
  retryDelivery,
  voteOnLoan,
} from '../../../data/contract/admin-decisions.ts';
import type { erasePerson } from '../../../data/contract/admin-erasures.ts';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import type { adminRecord } from '../../../data/contract/admin-record.ts';
import type {
  adminSession,
  adminSessions,
  changeOwnPassword,
  revokeAdminSession,
} from '../../../data/contract/admin-session.ts';
import type { adminStats } from '../../../data/contract/admin-stats.ts';
import type {
  addToTeam,
  changeRole,
  disableAdmin,
  enableAdmin,
  resetPassword,
  team,
} from '../../../data/contract/admin-team.ts';
import type {
  beginTotp,
  confirmTotp,
  disableTotp,
  renewRecoveryCodes,
} from '../../../data/contract/admin-totp.ts';
import type { BodyOf, Call, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { ListId, PageOf } from '../../../data/model/admin-lists.ts';
import { type AdminRole, mayActAs } from '../../../data/model/admin-rules.ts';
import { callError, errorText } from '../../data/call-error.ts';
import { RequestError } from '../../data/request.ts';
import { saveBlob } from '../ui/offer-download.ts';
import { adminFetch } from './admin-session.ts';

/** The calls of the admin pages. */

export type OwnSession = ResponseOf<typeof adminSession>;
export type OpenSession = ResponseOf<typeof adminSessions>['sessions'][number];
export type TeamMember = ResponseOf<typeof team>['team'][number];
export type DashboardStats = ResponseOf<typeof adminStats>;
export type StoredRecord = ResponseOf<typeof adminRecord>;
export type AuditPage = ResponseOf<typeof adminAuditTrail>;
export type Erasure = ResponseOf<typeof erasePerson>;

/** Milliseconds between two reads of the overview's figures. */
const STATS_INTERVAL = 30_000;
/** Timeout of a change in milliseconds. Password checks are slow and run one at a time. */
const CHANGE_TIMEOUT = 30_000;

/** The first element of every key: a change makes all queries of the page stale. */
const ADMIN = 'admin';

/** Options of every query: nothing stays in memory after the admin signs out. */
const ADMIN_QUERY_OPTIONS = {
  staleTime: 0,
  gcTime: 0,
  retry: (failures: number, error: Error) => callError(error) === 'failed' && failures < 2,
} as const;

async function readJson<Body>(
  path: string,
  signal: AbortSignal,
  headers?: Record<string, string>,
): Promise<Body> {
  return (await adminFetch('GET', path, { signal, ...(headers ? { headers } : {}) })).json();
}

/** The query for a path. */
export function adminQuery<C extends Call>(path: string, key: QueryKey = [path]) {
  return queryOptions<ResponseOf<C>>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN, ...key],
    queryFn: ({ signal }) => readJson(path, signal),
  });
}

/** The session of the signed-in admin. */
export const ownSessionQuery = () => adminQuery<typeof adminSession>(PATHS.adminSession);

/** Whether the signed-in admin has a role, or a higher one; false until the role is known. The server checks again. */
export function useMay(needed: AdminRole): boolean {
  const { data } = useQuery(ownSessionQuery());
  return data !== undefined && mayActAs(data.user.role, needed);
}

/** The admin's open sessions; those of the whole team for an owner. */
export const sessionsQuery = () => adminQuery<typeof adminSessions>(PATHS.adminSessions);
/** Every admin; for owners. */
export const teamQuery = () => adminQuery<typeof team>(PATHS.team);
export const chatQuery = () => adminQuery<typeof adminChat>(PATHS.adminChat);
export const recordQuery = (reference: string) =>
  adminQuery<typeof adminRecord>(`${PATHS.adminRecord}?reference=${reference}`);

/** The audit trail, newest page first. */
export function auditTrailQuery() {
  return infiniteQueryOptions({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN, PATHS.adminAuditTrail],
    queryFn: ({ signal, pageParam }) => {
      const before = pageParam === null ? '' : `?before=${pageParam}`;
      return readJson<AuditPage>(`${PATHS.adminAuditTrail}${before}`, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** The overview's figures, refreshed while the admin is active. */
export function statsQuery(isActive: boolean) {
  return queryOptions<DashboardStats>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN, PATHS.adminStats],
    queryFn: ({ signal }) =>
      readJson(`${PATHS.adminStats}?t=${Date.now()}`, signal, { 'Cache-Control': 'no-cache' }),
    refetchInterval: isActive ? STATS_INTERVAL : false,
  });
}

/** Which page of a list to read. */
export interface ListView {
  /** The search string; empty for none. */
  readonly q: string;
  /** Filter values by parameter name. */
  readonly filters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  readonly rows: number;
  /** The cursor of the page; null for the first one. */
  readonly after: string | null;
  /** From 1. */
  readonly page: number;
}

/** A page of a list. A search is sent by POST, because it may contain a name or an email address. */
export function listQuery<Id extends ListId>(list: Id, { q, filters, sort, order, rows, after }: ListView) {
  const path = PATHS.adminList(list);
  const text = q.trim();
  const parameters = { limit: String(rows), ...filters, sort, order, ...(after === null ? {} : { after }) };
  return queryOptions<PageOf<Id>>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN, path, parameters, text],
    queryFn: async ({ signal }) => {
      if (text === '') return readJson(`${path}?${new URLSearchParams(parameters)}`, signal);
      return (await adminFetch('POST', path, { signal, payload: { ...parameters, q: text } })).json();
    },
    placeholderData: keepPreviousData,
  });
}

/** Saves all rows of a list as a file with the day (UTC) in its name. @throws {RequestError} */
export async function saveExport(list: ListId, format: ExportFormat): Promise<void> {
  const response = await adminFetch('GET', `${PATHS.adminExport(list)}?format=${format}`);
  saveBlob(`${list}-${new Date().toISOString().slice(0, 10)}.${format}`, await response.blob());
}

/** The bytes of a loan application's document. @throws {RequestError} */
export async function readDocument(id: string, as: 'view' | 'file'): Promise<Blob> {
  return (await adminFetch('GET', `${PATHS.loanDocument}?id=${id}&as=${as}`)).blob();
}

/** The changes that an admin can make, by the path of their call. */
interface Changes {
  [PATHS.decideApplication]: typeof decideApplication;
  [PATHS.decideRequest]: typeof decideRequest;
  [PATHS.voteOnLoan]: typeof voteOnLoan;
  [PATHS.addNote]: typeof addNote;
  [PATHS.retryDelivery]: typeof retryDelivery;
  [PATHS.erasePerson]: typeof erasePerson;
  [PATHS.revokeAdminSession]: typeof revokeAdminSession;
  [PATHS.changeOwnPassword]: typeof changeOwnPassword;
  [PATHS.beginTotp]: typeof beginTotp;
  [PATHS.confirmTotp]: typeof confirmTotp;
  [PATHS.disableTotp]: typeof disableTotp;
  [PATHS.renewRecoveryCodes]: typeof renewRecoveryCodes;
  [PATHS.addToTeam]: typeof addToTeam;
  [PATHS.changeRole]: typeof changeRole;
  [PATHS.disableAdmin]: typeof disableAdmin;
  [PATHS.enableAdmin]: typeof enableAdmin;
  [PATHS.resetPassword]: typeof resetPassword;
}
type ChangePath = keyof Changes;
type ChangeBody<Path extends ChangePath> = BodyOf<Changes[Path]>;
type ChangeResponse<Path extends ChangePath> = ResponseOf<Changes[Path]>;

/** The outcome of a change. `conflict`: another admin was faster, or the record's state no longer allows it. */
type ChangeOutcome<Path extends ChangePath> =
  | { readonly kind: 'done'; readonly body: ChangeResponse<Path> }
  | { readonly kind: 'conflict' | 'failed'; readonly message: string };

async function sendChange<Path extends ChangePath>(
  path: Path,
  payload: ChangeBody<Path>,
): Promise<ChangeOutcome<Path>> {
  try {
    const signal = AbortSignal.timeout(CHANGE_TIMEOUT);
    const response = await adminFetch('POST', path, { payload, signal });
    return { kind: 'done', body: await response.json() };
  } catch (error) {
    const isConflict = error instanceof RequestError && error.status === 409;
    const message = errorText(
      error,
      'Something went wrong on our side. Check whether the change was saved before you try again.',
    );
    return { kind: isConflict ? 'conflict' : 'failed', message };
  }
}

/** What a form shows about its last change. */
export interface ChangeNotice {
  readonly kind: 'done' | 'failed';
  readonly message: string;
}

export interface Change {
  readonly isBusy: boolean;
  readonly notice: ChangeNotice | null;
  /** Sends a change and resolves to its outcome. While another one is running, sends nothing and resolves to null. */
  readonly send: <Path extends ChangePath>(
    path: Path,
    payload: ChangeBody<Path>,
  ) => Promise<ChangeOutcome<Path> | null>;
  /** Like `send`, and shows a notice about the outcome. `onDone` returns the success message, or null for none. */
  readonly run: <Path extends ChangePath>(
    path: Path,
    payload: ChangeBody<Path>,
    onDone: (body: ChangeResponse<Path>) => string | null,
  ) => Promise<void>;
  /** Shows why nothing was sent. */
  readonly refuse: (message: string) => void;
  readonly clear: () => void;
}

/** Sends changes one at a time. After each one, even a failed one, the page reads everything again. */
export function useChange(): Change {
  const client = useQueryClient();
  const isSending = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [notice, setNotice] = useState<ChangeNotice | null>(null);
  const send: Change['send'] = async (path, payload) => {
    if (isSending.current) return null;
    isSending.current = true;
    setBusy(true);
    setNotice(null);
    const outcome = await sendChange(path, payload);
    isSending.current = false;
    setBusy(false);
    // Not awaited: the outcome is shown at once.
    void client.invalidateQueries({ queryKey: [ADMIN] });
    return outcome;
  };
  return {
    isBusy,
    notice,
    send,
    run: async (path, payload, onDone) => {
      const outcome = await send(path, payload);
      if (outcome === null) return;
      if (outcome.kind !== 'done') return setNotice({ kind: 'failed', message: outcome.message });
      const message = onDone(outcome.body);
      if (message !== null) setNotice({ kind: 'done', message });
    },
    refuse: (message) => setNotice({ kind: 'failed', message }),
    clear: () => setNotice(null),
  };
}
