import { useEffect, useState } from 'react';
import type { readAdminLink, useAdminLink } from '../../../data/contract/admin-links.ts';
import type { passkeyChallenge } from '../../../data/contract/admin-passkeys.ts';
import type { adminLogin, adminSetup, adminSetupState } from '../../../data/contract/admin-session.ts';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { bodyField, RequestError, request, serverMessage } from '../../data/request.ts';

/** Milliseconds. Long, because password checks are slow and the server runs only a few at a time. */
const TIMEOUT_MS = 30_000;
const NO_NETWORK = 'Network error. Please try again.';

interface Refusal {
  readonly kind: 'refused';
  readonly message: string;
  /** Seconds until the server accepts another attempt; null if there is no wait. */
  readonly waitSeconds: number | null;
}

export type LoginOutcome =
  | { readonly kind: 'signed-in'; readonly sessionId: string; readonly username: string }
  /** The password is correct, and the account also needs a code or a passkey. */
  | { readonly kind: 'code-needed' | 'passkey-needed'; readonly message: string }
  /** Too many attempts without a code. The server may still accept the password together with a code. */
  | (Omit<Refusal, 'kind'> & { readonly kind: 'too-many-attempts' })
  | Refusal;

type SetupOutcome = { readonly kind: 'created' } | { readonly kind: 'closed' } | Refusal;

function post(path: string, payload: unknown, headers?: Readonly<Record<string, string>>): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return request('POST', path, { payload, signal, ...(headers ? { headers } : {}) });
}

function toRefusal(error: unknown, fallback: string): Refusal {
  if (!(error instanceof RequestError)) return { kind: 'refused', message: NO_NETWORK, waitSeconds: null };
  return {
    kind: 'refused',
    message: serverMessage(error.body) ?? fallback,
    waitSeconds: error.retryAfterSeconds,
  };
}

async function openSession(path: string, payload: unknown): Promise<LoginOutcome> {
  const fallback = 'Login failed';
  let response: Response;
  try {
    response = await post(path, payload);
  } catch (error) {
    const refusal = toRefusal(error, fallback);
    const code = error instanceof RequestError ? bodyField(error.body, 'code') : null;
    return code === 'code-needed' || code === 'passkey-needed' || code === 'too-many-attempts'
      ? { ...refusal, kind: code }
      : refusal;
  }
  try {
    const { sessionId, user }: ResponseOf<typeof adminLogin> = await response.json();
    return { kind: 'signed-in', sessionId, username: user.username };
  } catch {
    return { kind: 'refused', message: fallback, waitSeconds: null };
  }
}

/** Never throws. */
export const logIn = (credentials: BodyOf<typeof adminLogin>): Promise<LoginOutcome> =>
  openSession(PATHS.adminLogin, credentials);

/**
 * Asks for a passkey and opens a session with it. Never throws.
 * @param credentials username and checked password, if the passkey is the second factor; null to use the passkey alone
 * @returns null if the person cancelled or has no passkey, if autofill could not offer passkeys, or if `signal` aborted the request
 */
export async function logInWithPasskey(
  mediation: 'conditional' | 'optional',
  signal: AbortSignal,
  credentials: BodyOf<typeof adminLogin> | null = null,
): Promise<LoginOutcome | null> {
  let challenge: ResponseOf<typeof passkeyChallenge>;
  let requestPasskey: typeof import('../../data/passkeys.ts').requestPasskey;
  try {
    challenge = await (await post(PATHS.passkeyChallenge, {})).json();
    ({ requestPasskey } = await import('../../data/passkeys.ts'));
  } catch (error) {
    // With `conditional`, the page offers passkeys unasked, so the person sees no error.
    return mediation === 'conditional' ? null : toRefusal(error, 'Login failed');
  }
  try {
    const passkey = await requestPasskey(challenge, mediation, signal);
    return credentials === null
      ? await openSession(PATHS.signInWithPasskey, { passkey })
      : await logIn({ ...credentials, passkey });
  } catch {
    return null;
  }
}

/** Ends a session that this browser could not store. If that fails, the error is only logged. */
export async function endAdminSession(sessionId: string): Promise<void> {
  try {
    await request('POST', PATHS.adminLogout, { headers: { Authorization: `Bearer ${sessionId}` } });
  } catch (error) {
    console.error('The session could not be ended on the server.', error);
  }
}

/** Null if the state could not be read. */
export async function readSetupState(): Promise<ResponseOf<typeof adminSetupState> | null> {
  try {
    const response = await request('GET', PATHS.adminSetupState, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return await response.json();
  } catch {
    return null;
  }
}

/** Never throws. @param token from the one-time link; null without a link */
export async function createFirstAdmin(
  admin: BodyOf<typeof adminSetup>,
  token: string | null,
): Promise<SetupOutcome> {
  const fallback = 'Setup failed';
  try {
    const headers = token === null ? undefined : { [PATHS.SETUP_TOKEN_HEADER]: token };
    const response = await post(PATHS.adminSetup, admin, headers);
    const isCreated = bodyField(await response.text(), 'success') === true;
    return isCreated ? { kind: 'created' } : { kind: 'refused', message: fallback, waitSeconds: null };
  } catch (error) {
    if (error instanceof RequestError && error.status === 409) return { kind: 'closed' };
    return toRefusal(error, fallback);
  }
}

export type AccountLinkDetails = ResponseOf<typeof readAdminLink>;

/** Never throws. */
export async function readLink(token: string): Promise<AccountLinkDetails | Refusal> {
  try {
    return await (await post(PATHS.readAdminLink, { token })).json();
  } catch (error) {
    return toRefusal(error, 'The link could not be checked');
  }
}

/** Never throws. */
export async function setPasswordByLink(
  body: BodyOf<typeof useAdminLink>,
): Promise<{ readonly kind: 'done'; readonly username: string } | Refusal> {
  const fallback = 'The password could not be set';
  try {
    const { username }: ResponseOf<typeof useAdminLink> = await (await post(PATHS.useAdminLink, body)).json();
    return { kind: 'done', username };
  } catch (error) {
    return toRefusal(error, fallback);
  }
}

/** Counts down the seconds that the server requires before the next attempt. `start(null)` ends the countdown. */
export function useWait() {
  // Unix milliseconds.
  const [wait, setWait] = useState({ until: 0, now: 0 });
  const secondsLeft = Math.max(0, Math.ceil((wait.until - wait.now) / 1_000));
  const isWaiting = secondsLeft > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setWait(({ until }) => ({ until, now: Date.now() })), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return {
    secondsLeft,
    start: (seconds: number | null) => {
      const now = Date.now();
      setWait({ until: now + (seconds ?? 0) * 1_000, now });
    },
  };
}

/** A wait as text: `'45 s'`, `'2 min'` or `'14 min 5 s'`. */
export function waitText(seconds: number): string {
  const [minutes, secondsRest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes === 0) return `${secondsRest} s`;
  return secondsRest === 0 ? `${minutes} min` : `${minutes} min ${secondsRest} s`;
}
