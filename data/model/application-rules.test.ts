import { describe, expect, it } from 'vitest';
import { aliasFault, INLINE_REQUEST, mailFault, phoneFault, reasonFault } from './application-rules.ts';

describe('the rules of an application', () => {
  it.each([
    ['ab', 'Alias must be at least 3 characters'],
    ['abc', null],
    ['a'.repeat(20), null],
    ['🦆'.repeat(20), null],
    ['a'.repeat(21), 'Alias must be less than 20 characters'],
  ])('say of the alias %j: %s', (alias, fault) => {
    expect(aliasFault(alias)).toBe(fault);
  });

  it.each([
    ['+4420 794', 'Please enter a valid phone number'],
    ['+44 20 794', null],
  ])('say of the phone number %j: %s', (phone, fault) => {
    expect(phoneFault(phone)).toBe(fault);
  });

  it('say of a mail address that is none what it has to be', () => {
    expect([mailFault('ada@example.com'), mailFault('ada')]).toEqual([
      null,
      'Please enter a valid email address',
    ]);
  });

  it('ask for ten characters of a reason, and for one in the short form', () => {
    const words = 'Please provide a detailed reason (minimum 10 characters)';
    expect(reasonFault('123456789', '1')).toBe(words);
    expect(reasonFault('1234567890', '1')).toBeNull();
    expect(reasonFault('1', INLINE_REQUEST.claimedStakedAmount)).toBeNull();
    expect(reasonFault('', INLINE_REQUEST.claimedStakedAmount)).toBe(words);
  });
});
