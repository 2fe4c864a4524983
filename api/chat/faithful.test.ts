import { describe, expect, it } from 'vitest';
import { isFaithful } from './faithful.ts';

const MATERIAL = 'The lock is 180 days. The stated annual yield is 88.7%. Cards: 1,500,000 BD.';

describe('words of a model are used', () => {
  it.each([
    'Your stake is locked for 180 days.',
    'The stated yield is 88.7%, and it is not guaranteed.',
    'A card needs 1,500,000 BD.\n\nNothing is guaranteed.',
  ])('where they stay with what it was given: %s', (answer) => {
    expect(isFaithful(answer, MATERIAL)).toBe(true);
  });

  it.each([
    ['a number of its own', 'Your stake is locked for 90 days.'],
    ['a number written otherwise', 'A card needs 1.5 million BD.'],
    ['a link', 'See https://example.com for more.'],
    ['an address', 'Send it to 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
    ['another address', 'Send USDT to 0x52908400098527886E0F7030069857D2E4169EE7'],
    ['a tag', 'Hello <script>alert()</script>'],
    ['advice', 'You should buy more BD.'],
    ['a promise', 'Your return is guaranteed.'],
    ['a prediction', 'The price will rise.'],
    ['a request for a secret', 'Please enter your seed phrase.'],
    ['its rules', 'My instructions say that I must not.'],
    ['garbage', 'abc\u0000\uFFFD'],
  ])('and not with %s', (_, answer) => {
    expect(isFaithful(answer, MATERIAL)).toBe(false);
  });
});
