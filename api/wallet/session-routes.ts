import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ResponseOf } from '../../data/contract/call.ts';
import {
  walletChallenge,
  walletProof,
  walletSession,
  walletSignOut,
} from '../../data/contract/wallet-session.ts';
import {
  checkSignInMessage,
  readSignedMessage,
  SIGN_IN_WITHIN,
  signInMessage,
} from '../../data/model/sign-in-message.ts';
import type { SessionStore, WalletSession } from '../../data/store/session-port.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import { addressBytes } from '../wallet-address.ts';
import type { ReadProvenWallet } from './proven-wallet.ts';
import type { ProvenWallets } from './proven-wallets.ts';
import { type SessionCookie, sessionToken } from './session-cookie.ts';
import type { SignInTerms } from './sign-in-terms.ts';
import { isSignedBy } from './signature.ts';
import { ProofRefusedError } from './wallet-errors.ts';

/** Challenges and proofs, each, of one address a minute: a person needs one of both. */
const PROOFS_PER_MINUTE = 20;
/** Milliseconds that a session lasts, used or not. */
const SESSION_LIFE = 12 * 60 * 60_000;
const SWEEP_EVERY = 60_000;

const NONCE_BYTES = 16;
const TOKEN_BYTES = 32;

export interface SessionOptions {
  readonly store: SessionStore;
  readonly proven: ProvenWallets;
  readonly terms: SignInTerms;
  readonly cookie: SessionCookie;
  readonly now: () => number;
  /** Challenges and proofs of one address a minute. */
  readonly proofsPerMinute?: number | undefined;
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

/** The session that a request's cookie names, while it holds. */
async function sessionOf(
  request: IncomingMessage,
  { store, now }: Pick<SessionOptions, 'store' | 'now'>,
): Promise<WalletSession | null> {
  const token = sessionToken(request);
  return token === null ? null : store.sessionByToken(token, now());
}

/** Reads by the session's cookie which wallet the caller has proved. */
export function provenWalletReader(options: Pick<SessionOptions, 'store' | 'now'>): ReadProvenWallet {
  return async (request) => {
    const session = await sessionOf(request, options);
    return session && { walletAddress: session.walletAddress, provedAt: session.provedAt };
  };
}

/** Hands a message out, whose nonce holds for one proof. */
async function issueChallenge(
  walletAddress: string,
  request: IncomingMessage,
  { store, terms, now }: SessionOptions,
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
  await store.issueChallenge({ nonce, walletAddress, message, issuedAt, expiresAt });
  return { input, message };
}

/**
 * Whether a signed message proves the wallet. Its nonce is used up whatever comes of it.
 * @param publicKey the wallet's
 */
async function isProof(
  { walletAddress, publicKey }: { readonly walletAddress: string; readonly publicKey: Uint8Array },
  signed: { readonly message: Buffer; readonly signature: Buffer },
  request: IncomingMessage,
  { store, terms, now }: SessionOptions,
): Promise<boolean> {
  const fields = readSignedMessage(signed.message);
  if (!fields) return false;
  const message = signed.message.toString('utf8');
  const use = await store.spendChallenge({ nonce: fields.nonce, walletAddress, message }, now());
  const expected = { ...terms(request), address: walletAddress };
  const check = checkSignInMessage(signed.message, expected, now());
  const isSigned = await isSignedBy(publicKey, signed.message, signed.signature);
  return use === 'accepted' && check.ok && isSigned;
}

/** The calls by which the owner of a wallet proves it, and stays signed in. */
export function sessionRoutes(options: SessionOptions): readonly ApiRoute[] {
  const { store, proven, cookie, now } = options;
  const perMinute = options.proofsPerMinute ?? PROOFS_PER_MINUTE;
  const limitChallenges = limitCalls(perMinute, 'challenges');
  const limitProofs = limitCalls(perMinute, 'proofs');
  let sweptAt = Number.NEGATIVE_INFINITY;

  const sweep = async () => {
    if (now() - sweptAt < SWEEP_EVERY) return;
    sweptAt = now();
    await store.sweepSessions(sweptAt);
  };

  return [
    {
      method: walletChallenge.method,
      path: walletChallenge.path,
      handle: limited(limitChallenges, async (request, response) => {
        const { walletAddress } = readBody(walletChallenge.body, request.body);
        addressBytes(walletAddress);
        await sweep();
        response.json(await issueChallenge(walletAddress, request, options));
      }),
    },
    {
      method: walletProof.method,
      path: walletProof.path,
      handle: limited(limitProofs, async (request, response) => {
        const { walletAddress, signedMessage, signature } = readBody(walletProof.body, request.body);
        const wallet = { walletAddress, publicKey: addressBytes(walletAddress) };
        const signed = {
          message: Buffer.from(signedMessage, 'base64'),
          signature: Buffer.from(signature, 'base64'),
        };
        if (!(await isProof(wallet, signed, request, options))) throw new ProofRefusedError();
        const token = randomBytes(TOKEN_BYTES).toString('base64url');
        const provedAt = now();
        const session = { walletAddress, provedAt, expiresAt: provedAt + SESSION_LIFE };
        await store.openSession({ token, ...session });
        proven.joined(walletAddress);
        // The browser has one session: what its cookie held until now would be left lying about.
        const before = sessionToken(request);
        if (before !== null) await store.endSession(before, provedAt);
        cookie.set(response, token, SESSION_LIFE);
        response.json(sessionBody(session));
      }),
    },
    {
      method: walletSession.method,
      path: walletSession.path,
      handle: async (request, response) => {
        response.json(sessionBody(await sessionOf(request, options)));
      },
    },
    {
      method: walletSignOut.method,
      path: walletSignOut.path,
      handle: async (request, response) => {
        const token = sessionToken(request);
        if (token !== null) await store.endSession(token, now());
        cookie.clear(response);
        response.json({ success: true });
      },
    },
  ];
}
