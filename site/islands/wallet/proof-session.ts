import * as PATHS from '../../../data/contract/paths.ts';
import { request } from '../../data/request.ts';
import { type ProvenSession, parseSession } from './wallet-stores.ts';

/** Why a wallet app on this phone did not sign. `mobile/app-error.ts` has the messages. */
export type AppFailure =
  /** No app on this phone opened. */
  | 'no-app'
  /** The browser does not let the page connect to the wallet app. */
  | 'app-blocked'
  /** The connection to the wallet app ended before the app answered, or was never made. */
  | 'app-lost'
  /** The wallet app no longer shares its accounts with this site. */
  | 'app-unauthorized';

export type ProofFailure =
  | 'not-connected'
  /** The wallet supports neither sign-in nor signing messages or transactions. */
  | 'cannot-sign'
  /** The visitor declined, or the wallet returned an error. */
  | 'not-signed'
  /** An account other than the connected account signed. */
  | 'other-account'
  /** The server rejected the signed message. */
  | 'refused'
  | AppFailure
  | 'too-many'
  | 'server-error'
  | 'no-connection';

const MESSAGES: Readonly<Record<Exclude<ProofFailure, AppFailure>, string>> &
  Partial<Record<AppFailure, string>> = {
  'not-connected': 'No wallet is connected. Connect one and try again.',
  'cannot-sign':
    'This wallet cannot sign messages or transactions, so it cannot prove ownership. Use another wallet.',
  'not-signed': 'The wallet did not sign. Nothing was sent. Try again when you are ready.',
  'other-account': 'A different account signed. Choose the connected account in the wallet and try again.',
  refused: 'The signed message was rejected. It may have expired. Try again.',
  'too-many': 'Too many attempts. Wait a minute and try again.',
  'server-error': 'Something went wrong on our side. Try again. If it keeps happening, contact support.',
  'no-connection': 'Could not reach the portal. Check your connection and try again.',
};

/** A failed ownership proof. The message says what the visitor can do. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly reason: ProofFailure;

  constructor(reason: ProofFailure, options?: ErrorOptions) {
    super(MESSAGES[reason], options);
    this.reason = reason;
  }
}

const SESSION_TIMEOUT_MS = 30_000;

/** Null if there is no session. @throws {RequestError | TypeError | DOMException} */
export async function fetchSession(): Promise<ProvenSession | null> {
  const signal = AbortSignal.timeout(SESSION_TIMEOUT_MS);
  return parseSession(await (await request('GET', PATHS.walletSession, { signal })).json());
}

/** Null if there is no session, or if the server does not respond. */
export const readSession = () => fetchSession().catch(() => null);

/** @throws {RequestError | TypeError} */
export async function endProofSession(): Promise<void> {
  // With `keepalive`, the request completes even if the visitor leaves the page.
  await request('POST', PATHS.walletSignOut, { keepalive: true });
}
