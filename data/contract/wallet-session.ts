import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { address, moment, walletAddress } from './provenance.ts';

/** The name of a wallet's session cookie over plain HTTP. The cookie is `HttpOnly`: scripts cannot read it. */
export const WALLET_SESSION_COOKIE = 'walletSession';

/**
 * The name of a wallet's session cookie. Browsers accept a `__Host-` cookie only over https, and send it only to
 * the host that set it.
 */
export function walletSessionCookie(apiOrigin: string | null): string {
  return apiOrigin?.startsWith('https:') ? `__Host-${WALLET_SESSION_COOKIE}` : WALLET_SESSION_COOKIE;
}

const base64 = (maxBytes: number, what: string) =>
  z
    .string()
    .max(Math.ceil(maxBytes / 3) * 4, `${what} is too long.`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, `Set ${what} to base64 text.`);

/** The input for `solana:signIn` in the Wallet Standard. */
const signInInput = z.object({
  domain: z.string(),
  address,
  statement: z.string(),
  uri: z.url(),
  version: z.literal('1'),
  chainId: z.string(),
  nonce: z.string().describe('128 random bits, used once.'),
  issuedAt: moment,
  expirationTime: moment.describe(`At most ${PORTAL_LIMITS.signInMinutes} minutes after issuedAt.`),
});

export const walletChallenge = {
  method: 'POST',
  path: PATHS.walletChallenge,
  summary: 'Issues a message for the wallet to sign',
  body: z.strictObject({ walletAddress }),
  response: z.object({
    input: signInInput,
    message: z.string().describe('The same input as text, for wallets that only sign messages.'),
  }),
} as const satisfies Call;

/** The session that the caller's cookie identifies. All fields are null if there is none. */
const session = z.object({
  walletAddress: address.nullable().describe('The signed-in wallet, or null.'),
  provedAt: moment.nullable().describe('When the wallet last signed.'),
  expiresAt: moment.nullable(),
});

export const walletProof = {
  method: 'POST',
  path: PATHS.walletProof,
  summary: 'Verifies what the wallet signed and sets the session cookie',
  body: z.strictObject({
    walletAddress,
    signedMessage: base64(4_096, 'the signed message').describe(
      'The bytes that the wallet signed, in base64: the message, or the message of the transaction.',
    ),
    signedAs: z
      .enum(['message', 'transaction'])
      .optional()
      .describe(
        'What the wallet signed; a message if omitted. Wallets that cannot sign messages, such as a Ledger, sign a transaction that is never sent: the wallet is the fee payer, exactly one memo instruction has the message as text, and the blockhash is the SHA-256 of that text. All other instructions must be for the compute budget, and the transaction uses no other account.',
      ),
    signature: base64(64, 'the signature').describe('The ed25519 signature, in base64.'),
  }),
  response: session,
  errors: ['proof-refused'],
} as const satisfies Call;

export const walletSession = {
  method: 'GET',
  path: PATHS.walletSession,
  summary: 'The signed-in wallet',
  usesWalletSession: true,
  response: session,
} as const satisfies Call;

export const walletSignOut = {
  method: 'POST',
  path: PATHS.walletSignOut,
  summary: 'Ends the session of the wallet',
  usesWalletSession: true,
  response: z.object({ success: z.literal(true) }),
} as const satisfies Call;
