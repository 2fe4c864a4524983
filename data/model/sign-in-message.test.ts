import { createSignInMessageText, parseSignInMessageText } from '@solana/wallet-standard-util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkSignInMessage,
  parseSignInMessage,
  readSignedMessage,
  SIGN_IN_LIFE_MS,
  type SignInFields,
  signInMessage,
} from './sign-in-message.ts';

const ISSUED_AT = Date.UTC(2026, 0, 1);
const FIELDS: SignInFields = {
  domain: 'portal.example.com',
  address: 'FKkj5p5LumUerZj623CNzeaCGX9QpnjBevtTJDrk7ota',
  statement: 'Prove that this wallet is yours: nothing moves.',
  uri: 'https://portal.example.com',
  version: '1',
  chainId: 'mainnet',
  nonce: '0123456789abcdef0123456789abcdef',
  issuedAt: new Date(ISSUED_AT).toISOString(),
  expirationTime: new Date(ISSUED_AT + SIGN_IN_LIFE_MS).toISOString(),
};

const bytesOf = (text: string) => new TextEncoder().encode(text);
const check = (text: string, now = ISSUED_AT) => checkSignInMessage(bytesOf(text), FIELDS, now);

const printable = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' });
const anyTime = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const anyFields: fc.Arbitrary<SignInFields> = fc.record({
  domain: fc.domain(),
  address: fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  statement: printable,
  uri: fc.webUrl().map((url) => encodeURI(url)),
  version: fc.constant('1' as const),
  chainId: fc.constantFrom('mainnet', 'localnet', 'solana:mainnet'),
  nonce: fc.stringMatching(/^[A-Za-z0-9]{8,40}$/),
  issuedAt: anyTime,
  expirationTime: anyTime,
});

describe('a sign-in message', () => {
  it('equals the text from Wallet Standard; the portal and the standard both parse it', () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const text = signInMessage(fields);
        expect(text).toBe(createSignInMessageText(fields));
        expect(parseSignInMessage(text)).toEqual(fields);
        expect(parseSignInMessageText(text)).toMatchObject(fields);
      }),
    );
  });

  it('is parsed only if formatting its fields gives the same text', () => {
    fc.assert(
      fc.property(
        anyFields,
        fc.nat(),
        fc.string({ minLength: 0, maxLength: 2 }),
        (fields, randomIndex, replacement) => {
          const text = signInMessage(fields);
          const index = randomIndex % text.length;
          const changed = text.slice(0, index) + replacement + text.slice(index + 1);
          const parsedFields = parseSignInMessage(changed);
          if (parsedFields) expect(signInMessage(parsedFields)).toBe(changed);
        },
      ),
    );
  });

  it.each([
    ['a statement of two lines', { statement: 'One.\nNonce: 00000000' }],
    ['a domain of two words', { domain: 'a.example b.example' }],
    ['a domain in another script', { domain: 'pоrtal.example.com' }],
    ['an empty nonce', { nonce: '' }],
    ['a moment without a zone', { issuedAt: '2026-01-01T00:00:00.000' }],
  ])('is not created with %s', (_case, changes) => {
    expect(() => signInMessage({ ...FIELDS, ...changes })).toThrow(RangeError);
  });
});

describe('checking what a wallet signed', () => {
  const text = signInMessage(FIELDS);

  it('accepts the requested message until it expires', () => {
    expect(check(text)).toEqual({ ok: true, fields: FIELDS });
    expect(check(text, ISSUED_AT + SIGN_IN_LIFE_MS - 1).ok).toBe(true);
  });

  it.each([
    ['a different domain', { domain: 'evil.example' }, 'domain'],
    ['a domain with a different port', { domain: 'portal.example.com:444' }, 'domain'],
    ['a different address', { address: 'G7usfsa1PD2hmkXpYw4YwBefwPD2rhggGrbHz6q5AJr2' }, 'address'],
    ['a different statement', { statement: 'Send everything.' }, 'statement'],
    ['a different URI', { uri: 'https://evil.example' }, 'uri'],
    ['a different chain', { chainId: 'devnet' }, 'chainId'],
    [
      'a lifetime that is too long',
      { expirationTime: new Date(ISSUED_AT + SIGN_IN_LIFE_MS + 1).toISOString() },
      'valid-for-too-long',
    ],
  ] as const)('refuses %s', (_case, changes, reason) => {
    expect(check(signInMessage({ ...FIELDS, ...changes }))).toEqual({ ok: false, reason });
  });

  it('refuses a message from the future, and an expired one', () => {
    expect(check(text, ISSUED_AT - 1)).toEqual({ ok: false, reason: 'issued-in-the-future' });
    expect(check(text, ISSUED_AT + SIGN_IN_LIFE_MS)).toEqual({ ok: false, reason: 'expired' });
  });

  it.each([
    ['carriage returns', text.replaceAll('\n', '\r\n')],
    ['old line endings', text.replaceAll('\n', '\r')],
    ['a line break at its end', `${text}\n`],
    ['a space at its end', `${text} `],
    ['a zero byte at its end', `${text}\0`],
    ['a byte order mark', `\ufeff${text}`],
    ['a Cyrillic letter in its domain', text.replace('portal', 'pоrtal')],
    ['a full stop of another script in its domain', text.replace('portal.', 'portal。')],
    ['an invisible letter', text.replace('portal', 'portal\u200b')],
    ['an extra field', `${text}\nNot Before: ${FIELDS.issuedAt}`],
    ['resources', `${text}\nResources:\n- https://evil.example`],
    ['a field twice', text.replace('Nonce: ', 'Nonce: aaaaaaaa\nNonce: ')],
    ['fields in a different order', text.replace(/(Version: 1)\n(Chain ID: mainnet)/, '$2\n$1')],
    ['a different version', text.replace('Version: 1', 'Version: 2')],
    ['another chain with a name of the same length', text.replace('Solana account', 'Ethereum account')],
    ['no statement', text.replace(`${FIELDS.statement}\n\n`, '')],
    ['a time with a different zone', text.replace(FIELDS.issuedAt, '2026-01-01T00:00:00.000+00:00')],
    ['a day that does not exist', text.replace('2026-01-01', '2026-02-30')],
    ['nothing', ''],
  ])('refuses a text with %s', (_case, altered) => {
    expect(check(altered)).toEqual({ ok: false, reason: 'unreadable' });
  });

  it('parses no message from arbitrary bytes', () => {
    const broken = bytesOf(text);
    broken[5] = 0xff;
    expect(readSignedMessage(broken)).toBeNull();
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => readSignedMessage(bytes) === null));
  });
});
