import { describe, expect, it } from 'vitest';
import { CONTACT_FIELDS_MISSING, contactFaults } from './contact-rules.ts';

const MESSAGE = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: '',
  category: '',
  message: 'Hello',
  walletAddress: '',
};

const fieldsOf = (changes: Partial<typeof MESSAGE>) =>
  contactFaults({ ...MESSAGE, ...changes }).map(({ field, isMissing }) => [field, isMissing]);

describe('a message to support', () => {
  it('needs a name, a mail address and words, and nothing else', () => {
    expect(contactFaults(MESSAGE)).toEqual([]);
    expect(fieldsOf({ name: '', email: ' ', message: '\u200b\n' })).toEqual([
      ['name', true],
      ['email', true],
      ['message', true],
    ]);
    expect(CONTACT_FIELDS_MISSING).toBe(
      'Required Fields Missing: Please fill in your name, email, and message before submitting.',
    );
  });

  it.each([
    [{ email: 'ada@' }, 'email', 'Please enter a valid email address'],
    [{ walletAddress: 'wallet' }, 'walletAddress', 'Valid wallet address required'],
    [{ name: 'a'.repeat(121) }, 'name', 'Shorten the name: 120 characters are read.'],
    [{ subject: 'a'.repeat(151) }, 'subject', 'Shorten the subject: 150 characters are read.'],
    [{ message: '🦆'.repeat(4_001) }, 'message', 'Shorten the message: 4000 characters are read.'],
  ])('says what is wrong with %j', (changes, field, words) => {
    expect(contactFaults({ ...MESSAGE, ...changes })).toEqual([{ field, words, isMissing: false }]);
  });

  it('tells its faults in the order of the form, and counts an emoji as one character', () => {
    expect(fieldsOf({ walletAddress: 'x', message: '', email: 'x' })).toEqual([
      ['email', false],
      ['message', true],
      ['walletAddress', false],
    ]);
    expect(fieldsOf({ message: '🦆'.repeat(4_000), walletAddress: '1'.repeat(32) })).toEqual([]);
  });
});
