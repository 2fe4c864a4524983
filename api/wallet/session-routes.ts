import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { apiOriginOf, type PublicOrigins } from '../../data/config/api-origin.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import {
  WALLET_SESSION_COOKIE,
  walletChallenge,
  walletProof,
  walletSession,
  walletSessionCookie,
  walletSignOut,
} from '../../data/contract/wallet-session.ts';
import {
  checkSignInMessage,
  type ExpectedSignIn,
  readSignedMessage,
  SIGN_IN_LIFE_MS,
  signInMessage,
} from '../../data/model/sign-in-message.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { WalletSession } from '../../data/store/session-port.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { cookieOptions, cookieValues, soleCookie } from '../security/cookies.ts';
import { addressBytes } from '../wallet-address.ts';
import { readProofMemo } from './memo-proof.ts';
import type { ProvenWallets, ReadProvenWallet } from './proven-wallets.ts';
import { isSignedBy } from './signature.ts';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

function tokenIn(request: IncomingMessage, cookieName: string): string | null {
  const token = soleCookie(request, cookieName);
  return token !== null && TOKEN.test(token) ? token : null;
}

/** The wallet shows this text before the owner signs. */
const STATEMENT =
  'Sign in to the BlackDuck portal. This only proves that the wallet is yours: it moves no tokens and costs nothing.';

/** The chain IDs in Sign In With Solana messages. */
const CHAIN_IDS: Readonly<Record<ChainName, string>> = { solana: 'mainnet', 'embedded-ledger': 'localnet' };

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * The origin of the requesting page: the site's origin or the API's own. Wallets compare it with the message that they sign.
 * If no origin is configured, the host is the loopback name in the Host header, or else `localhost`, and the port is the
 * portal's.
 */
function pageOrigin({ publicOrigin, publicApiOrigin }: PublicOrigins, request: IncomingMessage): URL {
  if (publicApiOrigin !== null && request.headers.origin === publicApiOrigin) return new URL(publicApiOrigin);
  if (publicOrigin !== null) return new URL(publicOrigin);
  const [, host = 'localhost'] = LOOPBACK.exec(request.headers.host ?? '') ?? [];
  return new URL(`http://${host}:${request.socket.localPort}`);
}

const SESSION_LIFE_MS = 12 * 60 * 60_000;
const SWEEP_INTERVAL_MS = 60_000;

const NONCE_BYTES = 16;
const TOKEN_BYTES = 32;

interface SessionContext extends PublicOrigins {
  readonly store: Pick<AppStore, 'sessions'>;
  readonly provenWallets: ProvenWallets;
  readonly chain: ChainName;
  readonly now: () => number;
}

type ReaderContext = Pick<SessionContext, 'store' | 'now' | keyof PublicOrigins>;

function expectedFields(address: string, request: IncomingMessage, context: SessionContext): ExpectedSignIn {
  const { host, origin } = pageOrigin(context, request);
  return { domain: host, uri: origin, statement: STATEMENT, chainId: CHAIN_IDS[context.chain], address };
}

function sessionBody(session: WalletSession | null): ResponseOf<typeof walletSession> {
  if (!session) return { walletAddress: null, provedAt: null, expiresAt: null };
  const { walletAddress, provedAt, expiresAt } = session;
  return {
    walletAddress,
    provedAt: new Date(provedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

async function readSession(request: IncomingMessage, context: ReaderContext): Promise<WalletSession | null> {
  const token = tokenIn(request, walletSessionCookie(apiOriginOf(context)));
  return token === null ? null : context.store.sessions.sessionByToken(token, context.now());
}

export function provenWalletReader(context: ReaderContext): ReadProvenWallet {
  return async (request) => {
    const session = await readSession(request, context);
    return session && { walletAddress: session.walletAddress, provedAt: session.provedAt };
  };
}

/** Issues a message for the wallet to sign, with a single-use nonce. */
async function issueChallenge(
  walletAddress: string,
  request: IncomingMessage,
  context: SessionContext,
): Promise<ResponseOf<typeof walletChallenge>> {
  const issuedAt = context.now();
  const expiresAt = issuedAt + SIGN_IN_LIFE_MS;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const input = {
    ...expectedFields(walletAddress, request, context),
    version: '1' as const,
    nonce,
    issuedAt: new Date(issuedAt).toISOString(),
    expirationTime: new Date(expiresAt).toISOString(),
  };
  const message = signInMessage(input);
  await context.store.sessions.issueChallenge({ nonce, walletAddress, message, issuedAt, expiresAt });
  return { input, message };
}

interface SignedProof {
  readonly bytes: Buffer;
  readonly format: 'message' | 'transaction';
  readonly signature: Buffer;
}

/** The challenge in the signed bytes; null for a transaction that also does something else. */
async function challengeIn({ bytes, format }: SignedProof, walletAddress: string): Promise<Buffer | null> {
  return format === 'message' ? bytes : readProofMemo(await import('@solana/web3.js'), bytes, walletAddress);
}

/** Whether the proof is valid. If its message can be read, the nonce is consumed, even if the proof is not valid. */
async function isProof(
  walletAddress: string,
  proof: SignedProof,
  request: IncomingMessage,
  context: SessionContext,
): Promise<boolean> {
  const publicKey = addressBytes(walletAddress);
  const message = await challengeIn(proof, walletAddress);
  const fields = message && readSignedMessage(message);
  if (!fields) return false;
  const now = context.now();
  const challenge = { nonce: fields.nonce, walletAddress, message: message.toString('utf8') };
  const nonceUse = await context.store.sessions.consumeChallenge(challenge, now);
  const check = checkSignInMessage(message, expectedFields(walletAddress, request, context), now);
  const isSigned = await isSignedBy(publicKey, proof.bytes, proof.signature);
  return nonceUse === 'accepted' && check.ok && isSigned;
}

export function sessionRoutes(context: SessionContext): readonly ApiRoute[] {
  const { store, provenWallets, now } = context;
  const apiOrigin = apiOriginOf(context);
  const cookieSettings = cookieOptions(apiOrigin);
  const cookieName = walletSessionCookie(apiOrigin);
  let sweptAt = Number.NEGATIVE_INFINITY;

  const sweep = async () => {
    if (now() - sweptAt < SWEEP_INTERVAL_MS) return;
    sweptAt = now();
    await store.sessions.sweepSessions(sweptAt);
  };

  /** Ends the browser's session, and any session that the browser got before the portal used https. */
  const endSessions = async (request: IncomingMessage, response: Response, at: number) => {
    for (const name of new Set([cookieName, WALLET_SESSION_COOKIE])) {
      const token = tokenIn(request, name);
      if (token !== null) await store.sessions.endSession(token, at);
      const isOld = name !== cookieName && cookieValues(request, name).length > 0;
      if (isOld) response.clearCookie(name, cookieSettings);
    }
  };

  return [
    callRoute(walletChallenge, { limit: 'challenges' }, async (request, response) => {
      const { walletAddress } = readBody(walletChallenge.body, request.body);
      addressBytes(walletAddress);
      await sweep();
      response.json(await issueChallenge(walletAddress, request, context));
    }),
    callRoute(walletProof, { limit: 'proofs' }, async (request, response) => {
      const body = readBody(walletProof.body, request.body);
      const { walletAddress, signedMessage, signedAs = 'message', signature } = body;
      const proof = {
        bytes: Buffer.from(signedMessage, 'base64'),
        format: signedAs,
        signature: Buffer.from(signature, 'base64'),
      };
      if (!(await isProof(walletAddress, proof, request, context))) throw new ApiError('proof-refused');
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const provedAt = now();
      const session = { walletAddress, provedAt, expiresAt: provedAt + SESSION_LIFE_MS };
      await store.sessions.openSession({ token, ...session });
      provenWallets.add(walletAddress);
      response.cookie(cookieName, token, { ...cookieSettings, maxAge: SESSION_LIFE_MS });
      // The new cookie replaces the previous session's cookie, so nobody could end that session later.
      await endSessions(request, response, provedAt);
      response.json(sessionBody(session));
    }),
    callRoute(walletSession, {}, async (request, response) => {
      response.json(sessionBody(await readSession(request, context)));
    }),
    callRoute(walletSignOut, {}, async (request, response) => {
      response.clearCookie(cookieName, cookieSettings);
      await endSessions(request, response, now());
      response.json({ success: true });
    }),
  ];
}
