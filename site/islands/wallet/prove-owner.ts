import type { WalletAccount } from '@wallet-standard/base';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { walletChallenge, walletProof } from '../../../data/contract/wallet-session.ts';
import { RequestError, request } from '../../data/request.ts';
import { toBase64 } from './base64.ts';
import type { ConnectedWallet } from './wallet-connection.ts';
import { type ProvenSession, provenSession } from './wallet-stores.ts';

/** Why an ownership proof failed. */
type ProofFailure =
  | 'not-connected'
  /** The wallet supports neither a sign-in nor signed messages. */
  | 'cannot-sign'
  /** The visitor declined, or the wallet returned an error. */
  | 'not-signed'
  /** An account other than the connected one signed. */
  | 'other-account'
  /** The server rejected the signed message. */
  | 'refused'
  | 'too-many'
  | 'server-error'
  | 'no-connection';

const MESSAGES: Readonly<Record<ProofFailure, string>> = {
  'not-connected': 'No wallet is connected. Connect one and try again.',
  'cannot-sign': 'This wallet cannot sign messages, so it cannot prove ownership. Use another wallet.',
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

interface Signed {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
  /** The account that signed. Only a sign-in returns it. */
  readonly account?: WalletAccount;
}

async function sign(
  { wallet, account }: ConnectedWallet,
  { input, message }: ResponseOf<typeof walletChallenge>,
): Promise<Signed> {
  const { 'solana:signIn': signIn, 'solana:signMessage': signMessage } = wallet.features;
  const signing: Promise<readonly Signed[]> | undefined = signIn
    ? signIn.signIn(input)
    : signMessage?.signMessage({ account, message: new TextEncoder().encode(message) });
  if (!signing) throw new ProofError('cannot-sign');
  const [signed] = await signing.catch((error) => {
    throw new ProofError('not-signed', { cause: error });
  });
  if (!signed) throw new ProofError('not-signed');
  if (signed.account && signed.account.address !== account.address) throw new ProofError('other-account');
  return signed;
}

function failureOf(error: unknown): ProofFailure {
  if (!(error instanceof RequestError)) return 'no-connection';
  if (error.status >= 500) return 'server-error';
  return error.status === 429 ? 'too-many' : 'refused';
}

function proofError(error: unknown): ProofError {
  if (error instanceof ProofError) return error;
  return new ProofError(failureOf(error), { cause: error });
}

const post = async (path: string, payload: unknown) => (await request('POST', path, { payload })).json();

/** Asks the wallet to sign the server's challenge, and submits the signature. @throws {ProofError} */
export async function proveOwner(connected: ConnectedWallet): Promise<ProvenSession> {
  const walletAddress = connected.account.address;
  try {
    const challenge: ResponseOf<typeof walletChallenge> = await post(PATHS.walletChallenge, {
      walletAddress,
    } satisfies BodyOf<typeof walletChallenge>);
    const { signedMessage, signature } = await sign(connected, challenge);
    const proof: ResponseOf<typeof walletProof> = await post(PATHS.walletProof, {
      walletAddress,
      signedMessage: toBase64(signedMessage),
      signature: toBase64(signature),
    } satisfies BodyOf<typeof walletProof>);
    const session = provenSession(proof);
    if (session?.walletAddress !== walletAddress) throw new ProofError('refused');
    return session;
  } catch (error) {
    throw proofError(error);
  }
}

/** This browser's session; null if there is none. @throws {RequestError | TypeError} */
export async function fetchSession(): Promise<ProvenSession | null> {
  return provenSession(await (await request('GET', PATHS.walletSession)).json());
}

/** This browser's session. Null if there is none, or if the server does not respond. */
export const readSession = () => fetchSession().catch(() => null);

/** Ends the session on the server. @throws {RequestError | TypeError} */
export async function endSession(): Promise<void> {
  // `keepalive` completes the request if the visitor leaves the page.
  await request('POST', PATHS.walletSignOut, { keepalive: true });
}
