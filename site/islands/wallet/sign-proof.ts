import type { WalletAccount } from '@wallet-standard/base';
import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { walletChallenge, walletProof } from '../../../data/contract/wallet-session.ts';
import { post, RequestError } from '../../data/request.ts';
import { readStored, writeStored } from '../../shell/browser-storage.ts';
import { toBase64 } from './base64.ts';
import { ProofError, type ProofFailure, readSession } from './proof-session.ts';
import type { ConnectedWallet } from './wallet-connection.ts';
import { type ProvenSession, parseSession } from './wallet-stores.ts';

interface SignedOutput {
  readonly signedMessage: Uint8Array;
  readonly signature: Uint8Array;
  /** The account that signed. Only the wallet's `signIn` feature returns it. */
  readonly account?: WalletAccount;
}

/** Whether the wallet signs a message or a transaction to prove ownership. */
export type SignedAs = NonNullable<BodyOf<typeof walletProof>['signedAs']>;

function defaultSignedAs({ wallet: { features } }: ConnectedWallet): SignedAs {
  return 'solana:signIn' in features || 'solana:signMessage' in features ? 'message' : 'transaction';
}

/** Needed for hardware wallets, which cannot always sign messages. */
function canSignTransaction({ wallet: { features } }: ConnectedWallet): boolean {
  return 'solana:signTransaction' in features;
}

type Challenge = ResponseOf<typeof walletChallenge>;

async function signTransaction({ wallet, account }: ConnectedWallet, { input, message }: Challenge) {
  const feature = wallet.features['solana:signTransaction'];
  if (!feature) throw new ProofError('cannot-sign');
  const { memoTransaction, splitSignedTransaction } = await import('./memo-transaction.ts');
  const transaction = await memoTransaction(account.publicKey, message);
  const chain = `solana:${input.chainId}` as const;
  const [output] = await feature.signTransaction({ account, transaction, chain });
  return [output ? splitSignedTransaction(output.signedTransaction) : null];
}

function signMessage({ wallet, account }: ConnectedWallet, { input, message }: Challenge) {
  const { 'solana:signIn': signIn, 'solana:signMessage': signMessage } = wallet.features;
  const outputsPromise: Promise<readonly SignedOutput[]> | undefined = signIn
    ? signIn.signIn(input)
    : signMessage?.signMessage({ account, message: new TextEncoder().encode(message) });
  if (!outputsPromise) throw new ProofError('cannot-sign');
  return outputsPromise;
}

async function sign(
  connectedWallet: ConnectedWallet,
  challenge: Challenge,
  signedAs: SignedAs,
): Promise<SignedOutput> {
  const { account } = connectedWallet;
  const outputsPromise: Promise<readonly (SignedOutput | null)[]> =
    signedAs === 'transaction'
      ? signTransaction(connectedWallet, challenge)
      : signMessage(connectedWallet, challenge);
  const [output] = await outputsPromise.catch((error) => {
    throw error instanceof ProofError ? error : new ProofError('not-signed', { cause: error });
  });
  if (!output) throw new ProofError('not-signed');
  if (output.account && output.account.address !== account.address) throw new ProofError('other-account');
  return output;
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

function waitUntilVisible(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const resolveWhenVisible = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', resolveWhenVisible);
      resolve();
    };
    document.addEventListener('visibilitychange', resolveWhenVisible);
  });
}

/**
 * Submits a signature. A phone may drop the request or its response while it switches back from the wallet's app. In that
 * case, the page checks for a session once it is in the foreground, and submits the signature again if there is none.
 */
async function submitProof(
  { input }: Challenge,
  body: BodyOf<typeof walletProof>,
): Promise<ProvenSession | null> {
  const submit = async () => parseSession(await post(PATHS.walletProof, body));
  try {
    return await submit();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    await waitUntilVisible();
    const session = await readSession();
    const isNew = session !== null && Date.parse(session.provedAt) >= Date.parse(input.issuedAt);
    return isNew && session.walletAddress === body.walletAddress ? session : submit();
  }
}

/**
 * @param signedAs what the wallet signs; a transaction is never sent to the chain
 * @throws {ProofError}
 */
export async function proveOwnership(
  connectedWallet: ConnectedWallet,
  signedAs: SignedAs = defaultSignedAs(connectedWallet),
): Promise<ProvenSession> {
  const walletAddress = connectedWallet.account.address;
  try {
    const challengeBody: BodyOf<typeof walletChallenge> = { walletAddress };
    const challenge = await post<Challenge>(PATHS.walletChallenge, challengeBody);
    const { signedMessage, signature } = await sign(connectedWallet, challenge, signedAs);
    const session = await submitProof(challenge, {
      walletAddress,
      signedMessage: toBase64(signedMessage),
      signature: toBase64(signature),
      // Omitted for a message, so that an older server accepts the proof.
      ...(signedAs === 'transaction' && { signedAs }),
    });
    if (session?.walletAddress !== walletAddress) throw new ProofError('refused');
    return session;
  } catch (error) {
    throw proofError(error);
  }
}

/** The storage key for the name of a wallet that proves ownership with a transaction. No address is stored. */
const HARDWARE_WALLET_STORAGE_KEY = 'hardwareWallet';

/**
 * Proves ownership. If the wallet does not sign, asks whether to sign a message or a transaction next. Asks only if the
 * wallet supports both.
 */
export async function proveWithRetries(
  connectedWallet: ConnectedWallet,
  askHowToSign: () => Promise<SignedAs | null>,
): Promise<ProvenSession> {
  const { name } = connectedWallet.wallet;
  const canChoose = defaultSignedAs(connectedWallet) === 'message' && canSignTransaction(connectedWallet);
  const isHardware = canChoose && readStored('localStorage', HARDWARE_WALLET_STORAGE_KEY) === name;
  let signedAs: SignedAs = isHardware ? 'transaction' : defaultSignedAs(connectedWallet);
  for (;;) {
    try {
      const session = await proveOwnership(connectedWallet, signedAs);
      if (canChoose)
        writeStored('localStorage', HARDWARE_WALLET_STORAGE_KEY, signedAs === 'transaction' ? name : null);
      return session;
    } catch (error) {
      if (!canChoose || !(error instanceof ProofError) || error.reason !== 'not-signed') throw error;
      const choice = await askHowToSign();
      if (choice === null) throw error;
      signedAs = choice;
    }
  }
}
