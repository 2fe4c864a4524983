import { RequestError, request } from '../../data/request.ts';

/** Where the browser keeps the admin's session: under the names that the login gives them. */
const SESSION = 'adminSession';
const USER = 'adminUser';

/** Who is signed in, as the login told it. */
export interface AdminUser {
  readonly username: string;
}

export interface AdminSession {
  /** The opaque token that calls are sent with. */
  readonly sessionId: string;
  /** Null where the browser kept the session alone. */
  readonly user: AdminUser | null;
}

/** How a request is sent: as `request` takes it, but for its answer to a 401. */
type AdminRequest = Omit<NonNullable<Parameters<typeof request>[2]>, 'on401'>;

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

function userOf(kept: string | null): AdminUser | null {
  try {
    const user: unknown = JSON.parse(kept ?? 'null');
    if (typeof user !== 'object' || user === null || !('username' in user)) return null;
    return typeof user.username === 'string' ? (user as AdminUser) : null;
  } catch {
    return null;
  }
}

/** The session that this browser keeps, or null where there is none. Whether it still holds, the server says. */
export function readAdminSession(): AdminSession | null {
  try {
    const sessionId = localStorage.getItem(SESSION);
    return sessionId ? { sessionId, user: userOf(localStorage.getItem(USER)) } : null;
  } catch {
    // Storage is blocked.
    return null;
  }
}

/** Keeps the session that a login told. @throws where the browser keeps nothing: nobody can be signed in then. */
export function keepAdminSession(sessionId: string, user: AdminUser): void {
  localStorage.setItem(USER, JSON.stringify(user));
  localStorage.setItem(SESSION, sessionId);
  tell();
}

/** Forgets the session in this browser; the server's end of it is the logout's. */
export function clearAdminSession(): void {
  try {
    localStorage.removeItem(SESSION);
    localStorage.removeItem(USER);
  } catch {
    // Storage is blocked: nothing was kept.
  }
  tell();
}

/** Calls back when the session of this browser comes, changes or goes, here or in another tab. @returns ends that. */
export function watchAdminSession(listener: () => void): () => void {
  const elsewhere = ({ key }: StorageEvent) => {
    if (key === SESSION || key === null) listener();
  };
  listeners.add(listener);
  addEventListener('storage', elsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', elsewhere);
  };
}

/**
 * Sends a request as the admin who is signed in. A 401 forgets the session, unless another one was kept meanwhile.
 * @throws {RequestError} on any answer that is not a success, with 401 where nobody is signed in.
 */
export async function adminFetch(
  method: string,
  path: string,
  options: AdminRequest = {},
): Promise<Response> {
  const session = readAdminSession();
  if (!session) throw new RequestError(401, 'Nobody is signed in', '');
  try {
    const headers = { ...options.headers, Authorization: `Bearer ${session.sessionId}` };
    return await request(method, path, { ...options, headers });
  } catch (error) {
    const isOver = error instanceof RequestError && error.status === 401;
    if (isOver && readAdminSession()?.sessionId === session.sessionId) clearAdminSession();
    throw error;
  }
}
