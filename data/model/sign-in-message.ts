/**
 * The text of Sign In With Solana (source: `siws.md` of phantom/sign-in-with-solana, whose ABNF `createSignInMessageText`
 * of `@solana/wallet-standard-util` follows), with the fields that this portal uses, all of them required.
 */

/** Milliseconds that a message may be signed in, from its issue on. */
export const SIGN_IN_WITHIN = 5 * 60_000;

export interface SignInFields {
  /** Host, and port where it is not the usual one, of the page that asks. */
  readonly domain: string;
  /** The wallet, in base58. */
  readonly address: string;
  readonly statement: string;
  /** Origin of the page that asks. */
  readonly uri: string;
  readonly version: '1';
  readonly chainId: string;
  readonly nonce: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly issuedAt: string;
  /** As `issuedAt`. */
  readonly expirationTime: string;
}

/** What a message has to say whoever signs it. */
export type ExpectedSignIn = Pick<SignInFields, 'domain' | 'address' | 'statement' | 'uri' | 'chainId'>;

/** Why a message is no proof: a field that is not what was asked, its time, or that it is no such message at all. */
export type SignInFault =
  | 'unreadable'
  | keyof ExpectedSignIn
  | 'issued-in-the-future'
  | 'expired'
  | 'valid-for-too-long';

export type SignInCheck =
  | { readonly ok: true; readonly fields: SignInFields }
  | { readonly ok: false; readonly fault: SignInFault };

/** A field stands on one line of printable ASCII, as the ABNF has it: a letter that only looks like one is another. */
const FIELD = '[\\x20-\\x7e]+';
const MESSAGE = new RegExp(
  [
    '^(?<domain>[\\x21-\\x7e]+) wants you to sign in with your Solana account:',
    '(?<address>[1-9A-HJ-NP-Za-km-z]{32,44})',
    '',
    `(?<statement>${FIELD})`,
    '',
    `URI: (?<uri>${FIELD})`,
    'Version: 1',
    `Chain ID: (?<chainId>${FIELD})`,
    'Nonce: (?<nonce>[A-Za-z0-9]{8,})',
    `Issued At: (?<issuedAt>${FIELD})`,
    `Expiration Time: (?<expirationTime>${FIELD})$`,
  ].join('\\n'),
);

function textOf(fields: SignInFields): string {
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

/** Unix milliseconds of a moment in the one way that this portal writes them; null for any other. */
function momentOf(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? null : at;
}

/** The fields of a message, or null where the text is not, to the letter, what `signInMessage` writes. */
export function parseSignInMessage(text: string): SignInFields | null {
  const groups = MESSAGE.exec(text)?.groups;
  if (!groups) return null;
  const fields: SignInFields = {
    domain: groups.domain ?? '',
    address: groups.address ?? '',
    statement: groups.statement ?? '',
    uri: groups.uri ?? '',
    version: '1',
    chainId: groups.chainId ?? '',
    nonce: groups.nonce ?? '',
    issuedAt: groups.issuedAt ?? '',
    expirationTime: groups.expirationTime ?? '',
  };
  const isTimed = momentOf(fields.issuedAt) !== null && momentOf(fields.expirationTime) !== null;
  return isTimed && textOf(fields) === text ? fields : null;
}

/**
 * The text that a wallet signs.
 * @throws {RangeError} where a field cannot stand in such a text: a line break, a letter beyond ASCII, no time.
 */
export function signInMessage(fields: SignInFields): string {
  const text = textOf(fields);
  if (parseSignInMessage(text) === null) {
    throw new RangeError('A field of the sign-in message holds what the message has no place for.');
  }
  return text;
}

/** The message as text; null where the bytes are no UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  try {
    // A byte order mark stays, so that it is found to be one letter too many.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The message in what a wallet signed, or null where it is none. Says nothing of whether it holds. */
export function readSignedMessage(bytes: Uint8Array): SignInFields | null {
  const text = decoded(bytes);
  return text === null ? null : parseSignInMessage(text);
}

/**
 * Whether what a wallet signed is a message that says what it has to, at `now` (Unix ms). The signature, and that the
 * nonce was issued and not used before, are for the caller to check.
 */
export function checkSignInMessage(bytes: Uint8Array, expected: ExpectedSignIn, now: number): SignInCheck {
  const fields = readSignedMessage(bytes);
  if (!fields) return { ok: false, fault: 'unreadable' };
  for (const name of ['domain', 'address', 'statement', 'uri', 'chainId'] as const) {
    if (fields[name] !== expected[name]) return { ok: false, fault: name };
  }
  const issuedAt = Date.parse(fields.issuedAt);
  const expiresAt = Date.parse(fields.expirationTime);
  if (issuedAt > now) return { ok: false, fault: 'issued-in-the-future' };
  if (expiresAt <= now) return { ok: false, fault: 'expired' };
  if (expiresAt - issuedAt > SIGN_IN_WITHIN) return { ok: false, fault: 'valid-for-too-long' };
  return { ok: true, fields };
}
