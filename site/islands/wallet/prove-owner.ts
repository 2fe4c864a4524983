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
  /** The wallet supports no sign-in, no signed messages and no signed transactions. */
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

interface Signed {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
  /** The account that signed. Only a sign-in returns it. */
  readonly account?: WalletAccount;
}

/** What the wallet signs to prove its owner. */
export type SignedAs = NonNullable<BodyOf<typeof walletProof>['signedAs']>;

/** What a wallet can sign: a message unless it only signs transactions. */
export function signsAs({ wallet: { features } }: ConnectedWallet): SignedAs {
  return 'solana:signIn' in features || 'solana:signMessage' in features ? 'message' : 'transaction';
}

/** Whether the wallet can sign a transaction instead of a message, as hardware wallets need. */
export function canSignTransaction({ wallet: { features } }: ConnectedWallet): boolean {
  return 'solana:signTransaction' in features;
}

type Challenge = ResponseOf<typeof walletChallenge>;

async function signTransaction({ wallet, account }: ConnectedWallet, { input, message }: Challenge) {
  const feature = wallet.features['solana:signTransaction'];
  if (!feature) throw new ProofError('cannot-sign');
  const { memoTransaction, splitSigned } = await import('./memo-transaction.ts');
  const transaction = await memoTransaction(account.publicKey, message);
  const chain = `solana:${input.chainId}` as const;
  const [signed] = await feature.signTransaction({ account, transaction, chain });
  return [signed ? splitSigned(signed.signedTransaction) : null];
}

function signMessage({ wallet, account }: ConnectedWallet, { input, message }: Challenge) {
  const { 'solana:signIn': signIn, 'solana:signMessage': signMessage } = wallet.features;
  const signing: Promise<readonly Signed[]> | undefined = signIn
    ? signIn.signIn(input)
    : signMessage?.signMessage({ account, message: new TextEncoder().encode(message) });
  if (!signing) throw new ProofError('cannot-sign');
  return signing;
}

async function sign(connected: ConnectedWallet, challenge: Challenge, as: SignedAs): Promise<Signed> {
  const { account } = connected;
  const signing: Promise<readonly (Signed | null)[]> =
    as === 'transaction' ? signTransaction(connected, challenge) : signMessage(connected, challenge);
  const [signed] = await signing.catch((error) => {
    throw error instanceof ProofError ? error : new ProofError('not-signed', { cause: error });
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

/** Resolves once the page is in the foreground. */
function untilVisible(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const follow = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', follow);
      resolve();
    };
    document.addEventListener('visibilitychange', follow);
  });
}

/**
 * Submits a signature. On the way back from the wallet's app, a phone may drop the request or its response: then the page looks
 * for the session once it is in the foreground, and submits the signature again if there is none.
 */
async function submitProof(
  { input }: Challenge,
  body: BodyOf<typeof walletProof>,
): Promise<ProvenSession | null> {
  const submit = async () => provenSession(await post(PATHS.walletProof, body));
  try {
    return await submit();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    await untilVisible();
    const session = await readSession();
    const isNew = session !== null && Date.parse(session.provedAt) >= Date.parse(input.issuedAt);
    return isNew && session.walletAddress === body.walletAddress ? session : submit();
  }
}

/**
 * Asks the wallet to sign the server's challenge, and submits the signature.
 * @param as a transaction is never sent
 * @throws {ProofError}
 */
export async function proveOwner(
  connected: ConnectedWallet,
  as: SignedAs = signsAs(connected),
): Promise<ProvenSession> {
  const walletAddress = connected.account.address;
  try {
    const challenge: ResponseOf<typeof walletChallenge> = await post(PATHS.walletChallenge, {
      walletAddress,
    } satisfies BodyOf<typeof walletChallenge>);
    const { signedMessage, signature } = await sign(connected, challenge, as);
    const session = await submitProof(challenge, {
      walletAddress,
      signedMessage: toBase64(signedMessage),
      signature: toBase64(signature),
      // Omitted for a message, so that an older server accepts it.
      ...(as === 'transaction' && { signedAs: as }),
    });
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
