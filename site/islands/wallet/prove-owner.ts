import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import type {
  walletChallenge,
  walletProof,
  walletSession,
  walletSignOut,
} from '../../../data/contract/wallet-session.ts';
import { RequestError, request } from '../../data/request.ts';
import { ProofError } from './proof-errors.ts';
import type { ConnectedWallet } from './wallet-connection.ts';
import { type ProvenSession, provenSession } from './wallet-stores.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const CHALLENGE: (typeof walletChallenge)['path'] = '/api/wallet/challenge';
const PROOF: (typeof walletProof)['path'] = '/api/wallet/proof';
const SESSION: (typeof walletSession)['path'] = '/api/wallet/session';
const SIGN_OUT: (typeof walletSignOut)['path'] = '/api/wallet/sign-out';

interface Signed {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

async function sign(
  { wallet, account }: ConnectedWallet,
  { input, message }: ResponseOf<typeof walletChallenge>,
): Promise<Signed> {
  const { 'solana:signIn': signIn, 'solana:signMessage': signMessage } = wallet.features;
  if (!signIn && !signMessage) throw new ProofError('cannot-sign');
  const signing: Promise<readonly Signed[] | 'other-account'> = signIn
    ? signIn.signIn(input).then((outputs) => {
        const isOurs = outputs.every((output) => output.account.address === account.address);
        return isOurs ? outputs : 'other-account';
      })
    : (signMessage?.signMessage({ account, message: new TextEncoder().encode(message) }) ??
      Promise.resolve([]));
  const outputs = await signing.catch((error) => {
    throw new ProofError('not-signed', { cause: error });
  });
  if (outputs === 'other-account') throw new ProofError('other-account');
  const [signed] = outputs;
  if (!signed) throw new ProofError('not-signed');
  return signed;
}

function proofError(error: unknown): ProofError {
  if (error instanceof ProofError) return error;
  if (!(error instanceof RequestError) || error.status >= 500)
    return new ProofError('unreachable', { cause: error });
  return new ProofError(error.status === 429 ? 'too-many' : 'refused', { cause: error });
}

/**
 * Lets a wallet sign the server's challenge and hands it in.
 * @throws {ProofError}
 */
export async function proveOwner(connected: ConnectedWallet): Promise<ProvenSession> {
  const walletAddress = connected.account.address;
  try {
    const asked: BodyOf<typeof walletChallenge> = { walletAddress };
    const challenge: ResponseOf<typeof walletChallenge> = await (
      await request('POST', CHALLENGE, { payload: asked })
    ).json();
    const { signedMessage, signature } = await sign(connected, challenge);
    const payload: BodyOf<typeof walletProof> = {
      walletAddress,
      signedMessage: base64(signedMessage),
      signature: base64(signature),
    };
    const answer: ResponseOf<typeof walletProof> = await (await request('POST', PROOF, { payload })).json();
    const session = provenSession(answer);
    if (session?.walletAddress !== walletAddress) throw new ProofError('refused');
    return session;
  } catch (error) {
    throw proofError(error);
  }
}

/** Whose session the server holds for this browser; null where no one is signed in, or it cannot say. */
export async function readSession(): Promise<ProvenSession | null> {
  try {
    const answer: ResponseOf<typeof walletSession> = await (await request('GET', SESSION)).json();
    return provenSession(answer);
  } catch {
    return null;
  }
}

/** Ends the session at the server. @throws {RequestError} or {TypeError} where it did not. */
export async function endSession(): Promise<void> {
  // Whoever disconnects and leaves the page at once is signed out all the same.
  await request('POST', SIGN_OUT, { keepalive: true });
}
