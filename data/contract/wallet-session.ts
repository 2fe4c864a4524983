import { z } from 'zod';
import type { Call } from './call.ts';
import { ADDRESS, address } from './provenance.ts';

/** The cookie that holds a wallet's session. Scripts cannot read it. */
export const WALLET_SESSION_COOKIE = 'walletSession';

const NEEDED = 'Give the wallet as walletAddress, its Solana address in base58.';

const base64 = (bytesAtMost: number, what: string) =>
  z
    .string()
    .max(Math.ceil(bytesAtMost / 3) * 4, `${what} is too long.`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, `Give ${what} in base64.`);

/** The fields of a Sign In With Solana message, as `solana:signIn` takes them. */
export const signInInput = z.object({
  domain: z.string(),
  address,
  statement: z.string(),
  uri: z.url(),
  version: z.literal('1'),
  chainId: z.string(),
  nonce: z.string().describe('128 random bits, used once.'),
  issuedAt: z.iso.datetime(),
  expirationTime: z.iso.datetime().describe('Five minutes after issuedAt at most.'),
});
export type SignInInput = z.infer<typeof signInInput>;

export const walletChallenge = {
  method: 'POST',
  path: '/api/wallet/challenge',
  summary: 'A message for the wallet to sign, which proves that it is the caller’s',
  body: z.strictObject({ walletAddress: z.string({ error: NEEDED }).regex(ADDRESS, NEEDED) }),
  response: z.object({
    input: signInInput,
    message: z.string().describe('The same as the text to sign, for wallets that only sign messages.'),
  }),
  errors: {
    400: 'No wallet address is given, or it is none.',
    413: 'The body is too large.',
    429: 'Too many calls from this address.',
  },
  live: false,
} as const satisfies Call;

/** Who the session's cookie speaks for. */
const session = z.object({
  walletAddress: address.nullable().describe('The wallet whose owner is signed in; null where no one is.'),
  provedAt: z.iso.datetime().nullable().describe('When the wallet last signed.'),
  expiresAt: z.iso.datetime().nullable(),
});

export const walletProof = {
  method: 'POST',
  path: '/api/wallet/proof',
  summary: 'Hands the signed message in. A proof that holds sets the session’s cookie',
  body: z.strictObject({
    walletAddress: z.string({ error: NEEDED }).regex(ADDRESS, NEEDED),
    signedMessage: base64(4_096, 'the signed message').describe(
      'The bytes that the wallet signed, in base64.',
    ),
    signature: base64(64, 'the signature').describe('The ed25519 signature, in base64.'),
  }),
  response: session,
  errors: {
    400: 'The body is not what the call takes.',
    401: 'The proof does not hold: the message, its nonce, its time or the signature is wrong.',
    413: 'The body is too large.',
    429: 'Too many calls from this address.',
  },
  live: false,
} as const satisfies Call;

export const walletSession = {
  method: 'GET',
  path: '/api/wallet/session',
  summary: 'Which wallet the caller has proved to own',
  response: session,
  errors: { 429: 'Too many calls from this address.' },
  live: false,
} as const satisfies Call;

export const walletSignOut = {
  method: 'POST',
  path: '/api/wallet/sign-out',
  summary: 'Ends the session of the wallet',
  response: z.object({ success: z.literal(true) }),
  errors: { 429: 'Too many calls from this address.' },
  live: false,
} as const satisfies Call;
