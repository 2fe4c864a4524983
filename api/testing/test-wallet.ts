import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import bs58 from 'bs58';
import { walletChallenge, walletProof, walletSessionCookie } from '../../data/contract/wallet-session.ts';
import type { CardTier } from '../../data/model/tiers.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { sampleRequest, submitRequest } from '../../data/store/testing/sample-submissions.ts';
import { type Answer, sendForm as post } from './portal-client.ts';

export interface TestWallet {
  readonly address: string;
  /** The ed25519 signature of the bytes, in base64. */
  sign(message: string | Uint8Array): string;
}

const RAW_KEY_BYTES = 32;
const YEAR_MS = 31_536_000_000;

export function testWallet(): TestWallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_KEY_BYTES);
  return {
    address: bs58.encode(rawKey),
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString('base64'),
  };
}

export { post };

export async function requestChallenge(
  port: number,
  address: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const { status, body } = await post(port, walletChallenge.path, { walletAddress: address }, headers);
  if (status !== 200) throw new Error(`The challenge call failed with ${status}: ${body}`);
  return walletChallenge.response.parse(JSON.parse(body));
}

export function walletProofBody(wallet: TestWallet, message: string) {
  return {
    walletAddress: wallet.address,
    signedMessage: Buffer.from(message).toString('base64'),
    signature: wallet.sign(message),
  };
}

export function cookieHeader(answer: Answer): string {
  const [pair = ''] = (answer.headers['set-cookie']?.[0] ?? '').split(';');
  return pair;
}

/** @returns the `Cookie` header of the session */
export async function signInWallet(port: number, wallet: TestWallet): Promise<string> {
  const { message } = await requestChallenge(port, wallet.address);
  const answer = await post(port, walletProof.path, walletProofBody(wallet, message));
  if (answer.status !== 200) throw new Error(`The proof call failed with ${answer.status}: ${answer.body}`);
  return cookieHeader(answer);
}

/** @returns the `Cookie` header of the session */
export async function openWalletSession(
  store: Pick<AppStore, 'sessions'>,
  walletAddress: string,
  provedAt: number,
  publicOrigin: string | null = null,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await store.sessions.openSession({ token, walletAddress, provedAt, expiresAt: provedAt + YEAR_MS });
  return `${walletSessionCookie(publicOrigin)}=${token}`;
}

export async function whitelistWallet(
  { submissions, records }: Pick<AppStore, 'submissions' | 'records'>,
  walletAddress: string,
  tier: CardTier,
): Promise<void> {
  const referenceNumber = await submitRequest({ submissions }, { walletAddress });
  const { createdAt: at } = sampleRequest();
  const decision = { referenceNumber, changedAt: at, decision: 'approved', tier, reason: null } as const;
  const outcome = await records.decideRequest(decision, { adminId: 'an admin', address: '', at });
  if (outcome.kind !== 'decided') throw new Error(`The request was not approved: ${outcome.kind}`);
}
