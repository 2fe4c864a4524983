import { describe, expect, it } from 'vitest';
import {
  cleanValue,
  type FormField,
  fieldError,
  fieldErrors,
  fieldNoun,
  teamFields,
  toStoredFields,
} from './field.ts';
import { LOAN_FORM } from './loan-form.ts';

const LINE: FormField = { kind: 'line', label: 'Subject (short)', maxLength: 5 };
const OPTIONAL: FormField = { ...LINE, optional: true };

const messageOf = (field: FormField, typed: string) => fieldError(field, typed)?.message ?? null;

describe('a field', () => {
  it('counts as missing if it contains nothing visible, unless it is optional', () => {
    for (const typed of ['', ' ', '\u200b\n', '\u3164']) {
      expect(fieldError(LINE, typed)).toMatchObject({ isMissing: true });
      expect(fieldError(OPTIONAL, typed)).toBeNull();
    }
  });

  it('counts each emoji as one character, and ignores spaces at the ends', () => {
    expect(messageOf(LINE, ` ${'🦆'.repeat(5)}\n`)).toBeNull();
    expect(messageOf(OPTIONAL, '🦆'.repeat(6))).not.toBeNull();
    expect(messageOf({ ...LINE, minLength: 3, invalid: 'Too short' }, 'ab ')).toBe('Too short');
    expect(messageOf({ ...LINE, tooLong: 'Too long' }, '123456')).toBe('Too long');
  });

  it.each([
    ['Full Legal Name *', 'the full legal name'],
    ['BD Tokens You Have Staked *', 'the BD tokens you have staked'],
    ['Telegram Account', 'the Telegram account'],
    ['Wallet address (Solana)', 'the wallet address'],
  ])('with the label %j is called %j in messages', (label, noun) => {
    expect(fieldNoun({ kind: 'line', label })).toBe(noun);
  });

  it.each(['\u0000', '\u001b', '\u202e', '\ud800'])('rejects the control character %j', (character) => {
    expect(messageOf(LINE, `a${character}b`)).not.toBeNull();
    expect(messageOf({ ...LINE, kind: 'lines' }, 'a\n\tb')).toBeNull();
    expect(messageOf(LINE, 'a\nb')).not.toBeNull();
  });

  it.each([
    ['email', 'ada@example.com', 'ada@'],
    ['wallet', '1'.repeat(32), '1'.repeat(31)],
    ['wallet', '1'.repeat(44), `0${'1'.repeat(40)}`],
    ['reference', 'bd-20260102-123456', 'BD-20260102-023456'],
    ['country', 'GB', 'gb'],
  ] as const)('of the kind %s accepts %s and rejects %s', (kind, valid, malformed) => {
    expect(messageOf({ kind, label: 'Field' }, valid)).toBeNull();
    expect(messageOf({ kind, label: 'Field' }, malformed)).not.toBeNull();
  });

  it('accepts SQL and HTML', () => {
    for (const typed of ["'); --", '<b>&"'])
      expect(messageOf({ ...LINE, maxLength: 10 }, typed), typed).toBeNull();
  });

  it('accepts only its options if it is a choice', () => {
    const field: FormField = { kind: 'choice', label: 'Category', options: { staking: 'Staking' } };
    expect(messageOf(field, 'staking')).toBeNull();
    for (const typed of ['Staking', 'toString', '__proto__']) expect(messageOf(field, typed)).not.toBeNull();
  });

  it.each([
    ['telegram', ' @ada ', 'ada'],
    ['telegram', 'https://t.me/ada', 'ada'],
    ['reference', ' bd-20260102-123456', 'BD-20260102-123456'],
    ['lines', 'One\r\nTwo ', 'One\nTwo'],
    ['line', ' Ada\u00a0', 'Ada'],
  ] as const)('of the kind %s stores %j as %j', (kind, typed, stored) => {
    expect(cleanValue({ kind, label: 'Field' }, typed)).toBe(stored);
  });
});

const SAMPLE_FIELDS = {
  name: { kind: 'line', label: 'Name' },
  email: { kind: 'email', label: 'Email' },
  subject: { kind: 'line', label: 'Subject', optional: true },
  category: { kind: 'choice', label: 'Category', optional: true, options: { staking: 'Staking' } },
  message: { kind: 'lines', label: 'Message' },
  walletAddress: { kind: 'wallet', label: 'Wallet', optional: true },
} as const;

describe('the fields of a form', () => {
  it('report their errors in the order of the form', () => {
    const typed = { name: '', email: 'x', subject: '', category: '', message: ' ', walletAddress: 'x' };
    expect(fieldErrors(SAMPLE_FIELDS, typed).map(({ name, isMissing }) => [name, isMissing])).toEqual([
      ['name', true],
      ['email', false],
      ['message', true],
      ['walletAddress', false],
    ]);
  });

  it('are stored with null for empty or missing values, and without unknown values', () => {
    const sent = { name: 'Ada', email: 'ada@example.com', subject: '', message: 'Hello', website: '' };
    expect(toStoredFields(SAMPLE_FIELDS, sent)).toEqual({
      name: 'Ada',
      email: 'ada@example.com',
      subject: null,
      category: null,
      message: 'Hello',
      walletAddress: null,
    });
  });

  it('are shown to the team with the labels of choices, and without files', () => {
    const record = {
      name: 'Ada',
      email: 'ada@example.com',
      country: 'GB',
      investmentAmount: 75_000,
      investorType: 'Family Office',
      conversionOption: 'Convert',
      riskSuitability: 'Yes',
      comments: null,
    } as const;
    const rows = teamFields(LOAN_FORM.fields, record, () => 'United Kingdom');
    expect(Object.fromEntries(rows.map(({ name, text }) => [name, text]))).toEqual({
      ...record,
      country: 'United Kingdom',
      investmentAmount: '$75,000',
    });
    const telegram = { telegram: { kind: 'telegram', label: 'Telegram' } } as const;
    expect(teamFields(telegram, { telegram: 'ada' })).toMatchObject([{ label: 'Telegram', text: '@ada' }]);
    const claim = { claim: { kind: 'amount', label: 'BD' } } as const;
    expect(teamFields(claim, { claim: '1,500,000' })).toMatchObject([{ text: '1,500,000 BD' }]);
    expect(teamFields(claim, { claim: 'All of it' })).toMatchObject([{ text: 'All of it' }]);
  });
});
