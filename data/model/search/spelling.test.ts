import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpellingCorrector, editDistance } from './spelling.ts';

const WORDS = ['locked', 'withdraw', 'staking', 'monthly', 'card', 'wallet'];
const { correct } = createSpellingCorrector(
  new Map(WORDS.map((word) => [word, 5])),
  new Set(['weather', 'cart']),
);

const anyWord = fc.string({ unit: fc.constantFrom(...'abcd'), maxLength: 7 });

/** Computes the edit distance by its recursive definition, which is slow. */
function slowDistance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const isSame = one.at(-1) === other.at(-1);
  const choices = [
    slowDistance(one.slice(0, -1), other) + 1,
    slowDistance(one, other.slice(0, -1)) + 1,
    slowDistance(one.slice(0, -1), other.slice(0, -1)) + (isSame ? 0 : 1),
  ];
  if (one.length > 1 && other.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1)) {
    choices.push(slowDistance(one.slice(0, -2), other.slice(0, -2)) + 1);
  }
  return Math.min(...choices);
}

describe('the spelling', () => {
  it.each([
    ['lokced', 'locked'],
    ['withdarw', 'withdraw'],
    ['stakin', 'staking'],
    ['monthyl', 'monthly'],
  ])('of “%s” is corrected to “%s”', (wrong, right) => expect(correct(wrong)).toBe(right));

  it.each(['weather', 'cart', 'car', 'zebra'])('of “%s” does not change', (text) =>
    expect(correct(text)).toBe(text),
  );

  it('is corrected only in the first twenty unknown words of a message', () => {
    const words = correct('lokced '.repeat(25)).trim().split(' ');
    expect(words.filter((one) => one === 'locked')).toHaveLength(20);
  });

  it('is corrected to a known word that is near enough, and otherwise does not change', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
      minLength: 5,
      maxLength: 9,
    });
    const changes = fc.array(fc.tuple(fc.nat(8), fc.constantFrom('', 'x', 'yz')), { maxLength: 3 });
    fc.assert(
      fc.property(letters, changes, (knownWord, edits) => {
        const typed = edits.reduce(
          (word, [index, replacement]) => word.slice(0, index) + replacement + word.slice(index + 1),
          knownWord,
        );
        fc.pre(typed.length >= 4);
        const isNear = editDistance(typed, knownWord, typed.length >= 7 ? 2 : 1) !== null;
        const { correct } = createSpellingCorrector(new Map([[knownWord, 1]]), new Set());
        expect(correct(typed)).toBe(isNear ? knownWord : typed);
      }),
    );
  });

  it('of words that the portal uses does not change', () => {
    fc.assert(fc.property(fc.subarray(WORDS), (words) => correct(words.join(' ')) === words.join(' ')));
  });
});

describe('the edit distance', () => {
  it('equals its recursive definition, and is null above the maximum', () => {
    fc.assert(
      fc.property(anyWord, anyWord, fc.integer({ min: 0, max: 3 }), (one, other, maxDistance) => {
        const distance = slowDistance(one, other);
        expect(editDistance(one, other, maxDistance)).toBe(distance > maxDistance ? null : distance);
      }),
    );
  });
});
