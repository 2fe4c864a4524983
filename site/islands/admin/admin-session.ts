import { useSyncExternalStore } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { RequestError, type RequestOptions, request } from '../../data/request.ts';

/** The keys in local storage, as the specification names them. */
const SESSION_KEY = 'adminSession';
const USER_KEY = 'adminUser';

export const LOGIN_PATH = '/admin/login';
const DASHBOARD_PATH = '/admin/dashboard';
/** The pages that the login may return to. */
const RETURN_PAGE_PATTERN =
  /^\/(?:admin\/(?:dashboard|account|journal|duckling|erasure|reports|top-ups|webhooks)|(?:new-)?bot-diagnostics)$/;

interface AdminUser {
  readonly username: string;
}

interface AdminSession {
  /** The opaque token that authorizes API calls. */
  readonly sessionId: string;
  /** Null if the browser has not stored the user. */
  readonly user: AdminUser | null;
}

const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

function parseUser(storedText: string | null): AdminUser | null {
  try {
    const user: unknown = JSON.parse(storedText ?? 'null');
    if (typeof user !== 'object' || user === null || !('username' in user)) return null;
    return typeof user.username === 'string' ? (user as AdminUser) : null;
  } catch {
    return null;
  }
}

/** Reads the session that the browser has stored. Only the server knows whether it is still valid. */
export function readAdminSession(): AdminSession | null {
  try {
    const sessionId = localStorage.getItem(SESSION_KEY);
    return sessionId ? { sessionId, user: parseUser(localStorage.getItem(USER_KEY)) } : null;
  } catch {
    // Storage is blocked.
    return null;
  }
}

let hasLoggedOut = false;

/** Whether the admin logged out on this page. If the session ended in another way, the login returns to the page. */
export const isLoggedOut = (): boolean => hasLoggedOut;

/** @throws if the browser blocks storage */
export function storeAdminSession(sessionId: string, user: AdminUser): void {
  hasLoggedOut = false;
  localStorage.setItem(USER_KEY, JSON.stringify(user));
  localStorage.setItem(SESSION_KEY, sessionId);
  notify();
}

/** Removes the session from the browser, without ending it on the server. */
export function clearAdminSession(): void {
  try {
    localStorage.removeItem(SESSION_KEY);
    localStorage.removeItem(USER_KEY);
  } catch {
    // Storage is blocked, so nothing was stored.
  }
  notify();
}

/** Calls `listener` when the stored session changes, in this tab or another. @returns a function that removes `listener` */
export function watchAdminSession(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === SESSION_KEY || key === null) listener();
  };
  listeners.add(listener);
  addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', onStorage);
  };
}

/**
 * Sends a request as the signed-in admin. A 401 removes the session, unless a newer one was stored in the meantime.
 * @throws {RequestError} with status 401 if nobody is signed in; otherwise, whatever `send` throws
 */
export async function asAdmin<Answer>(
  send: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  const session = readAdminSession();
  if (!session) throw new RequestError(401, 'Nobody is signed in', '');
  try {
    return await send({ Authorization: `Bearer ${session.sessionId}` });
  } catch (error) {
    const isExpired = error instanceof RequestError && error.status === 401;
    if (isExpired && readAdminSession()?.sessionId === session.sessionId) clearAdminSession();
    throw error;
  }
}

/** Like `request`, but sent as the signed-in admin. @throws {RequestError} */
export const adminFetch = (method: string, path: string, options: RequestOptions = {}): Promise<Response> =>
  asAdmin((headers) => request(method, path, { ...options, headers: { ...options.headers, ...headers } }));

/** Ends the session on the server and in the browser. If the server does not end it, the error is only logged. */
export async function logOut(): Promise<void> {
  hasLoggedOut = true;
  try {
    await adminFetch('POST', PATHS.adminLogout);
  } catch (error) {
    console.error('The session could not be ended on the server.', error);
  }
  clearAdminSession();
}

/** `unknown` in the first render, which must match the prerendered page. */
type SignInState = 'unknown' | 'signed-in' | 'signed-out';

export function useSignInState(): SignInState {
  return useSyncExternalStore<SignInState>(
    watchAdminSession,
    () => (readAdminSession() === null ? 'signed-out' : 'signed-in'),
    () => 'unknown',
  );
}

export function loginUrl({ pathname, search, hash }: Pick<Location, 'hash' | 'pathname' | 'search'>) {
  const from = pathname + search + hash;
  if (!RETURN_PAGE_PATTERN.test(pathname) || from === DASHBOARD_PATH) return LOGIN_PATH;
  // `from` may contain a search text, so it is in the fragment, which browsers do not send.
  return `${LOGIN_PATH}#from=${encodeURIComponent(from)}`;
}

export function returnUrl({ hash, origin }: Pick<Location, 'hash' | 'origin'>): string {
  const from = new URLSearchParams(hash.slice(1)).get('from');
  if (from === null || !URL.canParse(from, origin)) return DASHBOARD_PATH;
  const url = new URL(from, origin);
  if (url.origin !== origin || !RETURN_PAGE_PATTERN.test(url.pathname)) return DASHBOARD_PATH;
  return url.pathname + url.search + url.hash;
}
