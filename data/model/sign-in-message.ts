import { PORTAL_LIMITS } from './portal-terms.ts';

/*
 * The Sign In With Solana message, with the fields that this portal uses. All of them are required. Source: the ABNF in
 * `siws.md` of phantom/sign-in-with-solana; `createSignInMessageText` of `@solana/wallet-standard-util` follows it too.
 */

export const SIGN_IN_LIFE_MS = PORTAL_LIMITS.signInMinutes * 60_000;

export interface SignInFields {
  /** The host of the requesting page, with the port unless it is the default port. */
  readonly domain: string;
  /** The wallet, in base58. */
  readonly address: string;
  readonly statement: string;
  /** The origin of the requesting page. */
  readonly uri: string;
  readonly version: '1';
  readonly chainId: string;
  readonly nonce: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly issuedAt: string;
  /** In the same format as `issuedAt`. */
  readonly expirationTime: string;
}

/** The fields with values that the portal knows in advance. */
export type ExpectedSignIn = Pick<SignInFields, 'domain' | 'address' | 'statement' | 'uri' | 'chainId'>;

/** Why a message is rejected: it is malformed, a field has the wrong value, or the message is not valid now. */
type SignInFailure =
  | 'unreadable'
  | keyof ExpectedSignIn
  | 'issued-in-the-future'
  | 'expired'
  | 'valid-for-too-long';

type SignInCheck =
  | { readonly ok: true; readonly fields: SignInFields }
  | { readonly ok: false; readonly reason: SignInFailure };

/** One line of printable ASCII, as in the ABNF, so that no similar-looking character is accepted. */
const FIELD_PATTERN = '[\\x20-\\x7e]+';
const MESSAGE_PATTERN = new RegExp(
  [
    '^(?<domain>[\\x21-\\x7e]+) wants you to sign in with your Solana account:',
    '(?<address>[1-9A-HJ-NP-Za-km-z]{32,44})',
    '',
    `(?<statement>${FIELD_PATTERN})`,
    '',
    `URI: (?<uri>${FIELD_PATTERN})`,
    'Version: 1',
    `Chain ID: (?<chainId>${FIELD_PATTERN})`,
    'Nonce: (?<nonce>[A-Za-z0-9]{8,})',
    `Issued At: (?<issuedAt>${FIELD_PATTERN})`,
    `Expiration Time: (?<expirationTime>${FIELD_PATTERN})$`,
  ].join('\\n'),
);

function signInText(fields: SignInFields): string {
  return [
    `${fields.domain} wants you to sign in with your Solana account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expirationTime}`,
  ].join('\n');
}

/** A time in the format that `toISOString` writes, as Unix milliseconds; null for any other text. */
function parseMoment(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? null : at;
}

/** The fields of a message. Null if the text differs in any way from what `signInMessage` writes for these fields. */
export function parseSignInMessage(text: string): SignInFields | null {
  const groups = MESSAGE_PATTERN.exec(text)?.groups;
  if (!groups) return null;
  // The pattern has a group for every field except the version.
  const fields = { ...groups, version: '1' } as unknown as SignInFields;
  const hasValidTimes = parseMoment(fields.issuedAt) !== null && parseMoment(fields.expirationTime) !== null;
  return hasValidTimes && signInText(fields) === text ? fields : null;
}

/**
 * The text that a wallet signs.
 * @throws {RangeError} when a field contains a line break or a non-ASCII character, or when a time is malformed.
 */
export function signInMessage(fields: SignInFields): string {
  const text = signInText(fields);
  if (parseSignInMessage(text) === null) {
    throw new RangeError('A field of the sign-in message has an invalid value.');
  }
  return text;
}

function decodeUtf8OrNull(bytes: Uint8Array): string | null {
  try {
    // Keeps a byte order mark, so that a message with one is rejected.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Parses the signed bytes; null when they are not a message. `checkSignInMessage` decides whether the message is valid. */
export function readSignedMessage(bytes: Uint8Array): SignInFields | null {
  const text = decodeUtf8OrNull(bytes);
  return text === null ? null : parseSignInMessage(text);
}

/**
 * Whether the signed bytes are the expected message, and the message is valid at `now` (Unix ms). The caller must check the
 * signature, and that the nonce was issued and has not been used yet.
 */
export function checkSignInMessage(bytes: Uint8Array, expected: ExpectedSignIn, now: number): SignInCheck {
  const fields = readSignedMessage(bytes);
  if (!fields) return { ok: false, reason: 'unreadable' };
  for (const name of ['domain', 'address', 'statement', 'uri', 'chainId'] as const) {
    if (fields[name] !== expected[name]) return { ok: false, reason: name };
  }
  const issuedAt = Date.parse(fields.issuedAt);
  const expiresAt = Date.parse(fields.expirationTime);
  if (issuedAt > now) return { ok: false, reason: 'issued-in-the-future' };
  if (expiresAt <= now) return { ok: false, reason: 'expired' };
  if (expiresAt - issuedAt > SIGN_IN_LIFE_MS) return { ok: false, reason: 'valid-for-too-long' };
  return { ok: true, fields };
}
