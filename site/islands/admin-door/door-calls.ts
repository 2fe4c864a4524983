import type {
  adminLogin,
  adminLogout,
  adminSetup,
  adminSetupState,
  SETUP_TOKEN_HEADER as DeclaredHeader,
} from '../../../data/contract/admin-session.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import { serverWords } from '../../data/call-fault.ts';
import { RequestError, request } from '../../data/request.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const LOGIN: (typeof adminLogin)['path'] = '/api/admin/login';
const LOGOUT: (typeof adminLogout)['path'] = '/api/admin/logout';
const SETUP: (typeof adminSetup)['path'] = '/api/admin/setup';
const SETUP_STATE: (typeof adminSetupState)['path'] = '/api/admin/setup-state';
const SETUP_TOKEN_HEADER: typeof DeclaredHeader = 'X-Setup-Token';

/** Milliseconds that an answer may take: passwords are slow to check, and wait for each other. */
const ANSWER_WITHIN = 30_000;
const NO_NETWORK = 'Network error. Please try again.';

export interface Refused {
  readonly kind: 'refused';
  readonly words: string;
  /** Seconds after which it may be tried again; null where that may be at once. */
  readonly waitFor: number | null;
}

export type LoginOutcome =
  | { readonly kind: 'signed-in'; readonly sessionId: string; readonly username: string }
  /** The password is right, and a code is still to be given. */
  | { readonly kind: 'code-needed'; readonly words: string }
  | Refused;

export type SetupOutcome = { readonly kind: 'created' } | { readonly kind: 'closed' } | Refused;

function post(path: string, payload: unknown, headers?: Readonly<Record<string, string>>): Promise<Response> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN);
  return request('POST', path, { payload, signal, ...(headers ? { headers } : {}) });
}

function codeOf({ body }: RequestError): unknown {
  try {
    const told: unknown = JSON.parse(body);
    return typeof told === 'object' && told !== null && 'code' in told ? told.code : null;
  } catch {
    return null;
  }
}

function refusedBy(error: unknown, otherwise: string): Refused {
  if (!(error instanceof RequestError)) return { kind: 'refused', words: NO_NETWORK, waitFor: null };
  return { kind: 'refused', words: serverWords(error) ?? otherwise, waitFor: error.retryAfter };
}

/** Asks for a session. Whatever happens is an outcome; nothing is thrown. */
export async function logIn(typed: BodyOf<typeof adminLogin>): Promise<LoginOutcome> {
  const otherwise = 'Login failed';
  let response: Response;
  try {
    response = await post(LOGIN, typed);
  } catch (error) {
    const refused = refusedBy(error, otherwise);
    const isCodeNeeded = error instanceof RequestError && codeOf(error) === 'code-needed';
    return isCodeNeeded ? { kind: 'code-needed', words: refused.words } : refused;
  }
  try {
    const { sessionId, user }: ResponseOf<typeof adminLogin> = await response.json();
    return { kind: 'signed-in', sessionId, username: user.username };
  } catch {
    return { kind: 'refused', words: otherwise, waitFor: null };
  }
}

/** Ends a session that this browser cannot keep. Whether that succeeds changes nothing for who asked for it. */
export async function giveBack(sessionId: string): Promise<void> {
  try {
    await request('POST', LOGOUT, { headers: { Authorization: `Bearer ${sessionId}` } });
  } catch (error) {
    console.error('The session could not be ended at the server.', error);
  }
}

/** Whether the first admin is still to be created, and whether from here it takes the printed link; null if unknown. */
export async function readSetupState(): Promise<ResponseOf<typeof adminSetupState> | null> {
  try {
    const response = await request('GET', SETUP_STATE, { signal: AbortSignal.timeout(ANSWER_WITHIN) });
    return await response.json();
  } catch {
    return null;
  }
}

/** Creates the first admin. @param token of the printed link; null without one. Nothing is thrown. */
export async function createFirstAdmin(
  typed: BodyOf<typeof adminSetup>,
  token: string | null,
): Promise<SetupOutcome> {
  try {
    const response = await post(SETUP, typed, token === null ? undefined : { [SETUP_TOKEN_HEADER]: token });
    const body: unknown = await response.json().catch(() => null);
    const isCreated = typeof body === 'object' && body !== null && 'success' in body && body.success === true;
    return isCreated ? { kind: 'created' } : { kind: 'refused', words: 'Setup failed', waitFor: null };
  } catch (error) {
    if (error instanceof RequestError && error.status === 409) return { kind: 'closed' };
    return refusedBy(error, 'Setup failed');
  }
}
