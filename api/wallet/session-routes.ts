import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import {
  WALLET_SESSION_COOKIE,
  walletChallenge,
  walletProof,
  walletSession,
  walletSignOut,
} from '../../data/contract/wallet-session.ts';
import type { ExpectedSignIn } from '../../data/model/sign-in-message.ts';
import {
  checkSignInMessage,
  readSignedMessage,
  SIGN_IN_WITHIN,
  signInMessage,
} from '../../data/model/sign-in-message.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { WalletSession } from '../../data/store/session-port.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import { addressBytes } from '../wallet-address.ts';
import type { ProvenWallets, ReadProvenWallet } from './proven-wallets.ts';
import { isSignedBy } from './signature.ts';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The token of the session cookie; null unless there is exactly one, since a second one may be injected. */
function sessionToken(request: IncomingMessage): string | null {
  const found: string[] = [];
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === WALLET_SESSION_COOKIE) found.push(pair.slice(at + 1).trim());
  }
  const [token, second] = found;
  return token !== undefined && second === undefined && TOKEN.test(token) ? token : null;
}

/** Sets and clears the session cookie, which scripts cannot read and other sites cannot send. */
class SessionCookie {
  readonly #options: CookieOptions;

  constructor(publicOrigin: string | null) {
    const secure = publicOrigin !== null && new URL(publicOrigin).protocol === 'https:';
    this.#options = { httpOnly: true, sameSite: 'strict', path: '/', secure };
  }

  /** @param lifeMs milliseconds until the session ends */
  set(response: Response, token: string, lifeMs: number): void {
    response.cookie(WALLET_SESSION_COOKIE, token, { ...this.#options, maxAge: lifeMs });
  }

  clear(response: Response): void {
    response.clearCookie(WALLET_SESSION_COOKIE, this.#options);
  }
}

/** The statement that the wallet shows. */
const STATEMENT =
  'Sign in to the BlackDuck portal. This only proves that the wallet is yours: it moves no tokens and costs nothing.';

/** Chain ids of Sign In With Solana. */
const CHAIN_IDS: Readonly<Record<ChainName, string>> = { solana: 'mainnet', 'embedded-ledger': 'localnet' };

const OWN_NAME = /^(localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * The origin of the requesting page. Without a public origin it is this machine, by the loopback name that the browser uses.
 * Another Host header is not trusted.
 */
function ownOrigin(publicOrigin: string | null, request: IncomingMessage): URL {
  if (publicOrigin !== null) return new URL(publicOrigin);
  const [, host = 'localhost'] = OWN_NAME.exec(request.headers.host ?? '') ?? [];
  return new URL(`http://${host}:${request.socket.localPort}`);
}

/** The fields of a sign-in message, without the wallet and the times. */
type SignInTerms = (request: IncomingMessage) => Omit<ExpectedSignIn, 'address'>;

function signInTerms(publicOrigin: string | null, chain: ChainName): SignInTerms {
  return (request) => {
    const { host, origin } = ownOrigin(publicOrigin, request);
    return { domain: host, uri: origin, statement: STATEMENT, chainId: CHAIN_IDS[chain] };
  };
}

/** The duration of a session in milliseconds. */
const SESSION_LIFE = 12 * 60 * 60_000;
const SWEEP_EVERY = 60_000;

const NONCE_BYTES = 16;
const TOKEN_BYTES = 32;

interface SessionContext {
  readonly store: Pick<AppStore, 'sessions'>;
  readonly proven: ProvenWallets;
  readonly publicOrigin: string | null;
  readonly chain: ChainName;
  readonly now: () => number;
}

type SessionBody = ResponseOf<typeof walletSession>;

function sessionBody(session: WalletSession | null): SessionBody {
  if (!session) return { walletAddress: null, provedAt: null, expiresAt: null };
  const { walletAddress, provedAt, expiresAt } = session;
  return {
    walletAddress,
    provedAt: new Date(provedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** The valid session of a request's cookie, or null. */
async function sessionOf(
  request: IncomingMessage,
  { store, now }: Pick<SessionContext, 'store' | 'now'>,
): Promise<WalletSession | null> {
  const token = sessionToken(request);
  return token === null ? null : store.sessions.sessionByToken(token, now());
}

/** Reads the wallet of the session cookie. */
export function provenWalletReader(context: Pick<SessionContext, 'store' | 'now'>): ReadProvenWallet {
  return async (request) => {
    const session = await sessionOf(request, context);
    return session && { walletAddress: session.walletAddress, provedAt: session.provedAt };
  };
}

/** Issues a message with a single-use nonce. */
async function issueChallenge(
  walletAddress: string,
  request: IncomingMessage,
  { store, now, terms }: Pick<SessionContext, 'store' | 'now'> & { readonly terms: SignInTerms },
): Promise<ResponseOf<typeof walletChallenge>> {
  const issuedAt = now();
  const expiresAt = issuedAt + SIGN_IN_WITHIN;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const input = {
    ...terms(request),
    address: walletAddress,
    version: '1' as const,
    nonce,
    issuedAt: new Date(issuedAt).toISOString(),
    expirationTime: new Date(expiresAt).toISOString(),
  };
  const message = signInMessage(input);
  await store.sessions.issueChallenge({ nonce, walletAddress, message, issuedAt, expiresAt });
  return { input, message };
}

/**
 * Whether a signed message proves the wallet. Consumes the nonce in any case.
 * @param publicKey that of the wallet
 */
async function isProof(
  { walletAddress, publicKey }: { readonly walletAddress: string; readonly publicKey: Uint8Array },
  signed: { readonly message: Buffer; readonly signature: Buffer },
  request: IncomingMessage,
  { store, now, terms }: Pick<SessionContext, 'store' | 'now'> & { readonly terms: SignInTerms },
): Promise<boolean> {
  const fields = readSignedMessage(signed.message);
  if (!fields) return false;
  const message = signed.message.toString('utf8');
  const use = await store.sessions.consumeChallenge({ nonce: fields.nonce, walletAddress, message }, now());
  const expected = { ...terms(request), address: walletAddress };
  const check = checkSignInMessage(signed.message, expected, now());
  const isSigned = await isSignedBy(publicKey, signed.message, signed.signature);
  return use === 'accepted' && check.ok && isSigned;
}

/** The calls to prove a wallet, and to read and end its session. */
export function sessionRoutes(context: SessionContext): readonly ApiRoute[] {
  const { store, proven, publicOrigin, chain, now } = context;
  const terms = signInTerms(publicOrigin, chain);
  const cookie = new SessionCookie(publicOrigin);
  let sweptAt = Number.NEGATIVE_INFINITY;

  const sweep = async () => {
    if (now() - sweptAt < SWEEP_EVERY) return;
    sweptAt = now();
    await store.sessions.sweepSessions(sweptAt);
  };

  return [
    {
      method: walletChallenge.method,
      path: walletChallenge.path,
      limit: 'challenges',
      handle: async (request, response) => {
        const { walletAddress } = readBody(walletChallenge.body, request.body);
        addressBytes(walletAddress);
        await sweep();
        response.json(await issueChallenge(walletAddress, request, { store, now, terms }));
      },
    },
    {
      method: walletProof.method,
      path: walletProof.path,
      limit: 'proofs',
      handle: async (request, response) => {
        const { walletAddress, signedMessage, signature } = readBody(walletProof.body, request.body);
        const wallet = { walletAddress, publicKey: addressBytes(walletAddress) };
        const signed = {
          message: Buffer.from(signedMessage, 'base64'),
          signature: Buffer.from(signature, 'base64'),
        };
        if (!(await isProof(wallet, signed, request, { store, now, terms })))
          throw new ApiError('proof-refused');
        const token = randomBytes(TOKEN_BYTES).toString('base64url');
        const provedAt = now();
        const session = { walletAddress, provedAt, expiresAt: provedAt + SESSION_LIFE };
        await store.sessions.openSession({ token, ...session });
        proven.add(walletAddress);
        // The new cookie replaces the old one, so its session would stay open unnoticed.
        const before = sessionToken(request);
        if (before !== null) await store.sessions.endSession(before, provedAt);
        cookie.set(response, token, SESSION_LIFE);
        response.json(sessionBody(session));
      },
    },
    {
      method: walletSession.method,
      path: walletSession.path,
      handle: async (request, response) => {
        response.json(sessionBody(await sessionOf(request, context)));
      },
    },
    {
      method: walletSignOut.method,
      path: walletSignOut.path,
      handle: async (request, response) => {
        const token = sessionToken(request);
        if (token !== null) await store.sessions.endSession(token, now());
        cookie.clear(response);
        response.json({ success: true });
      },
    },
  ];
}
