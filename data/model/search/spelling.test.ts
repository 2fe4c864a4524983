import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpelling, editDistance } from './spelling.ts';

const WORDS = ['locked', 'withdraw', 'staking', 'monthly', 'card', 'wallet'];
const { correct } = createSpelling(new Map(WORDS.map((word) => [word, 5])), new Set(['weather', 'cart']));

const word = fc.string({ unit: fc.constantFrom(...'abcd'), maxLength: 7 });

/** The edit distance by its recursive definition, which is slow. */
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

  it('is corrected in the first twenty unknown words of a message', () => {
    const words = correct('lokced '.repeat(25)).trim().split(' ');
    expect(words.filter((one) => one === 'locked')).toHaveLength(20);
  });

  it('is corrected to the only known word if it is near enough, and does not change otherwise', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
      minLength: 5,
      maxLength: 9,
    });
    const changes = fc.array(fc.tuple(fc.nat(8), fc.constantFrom('', 'x', 'yz')), { maxLength: 3 });
    fc.assert(
      fc.property(letters, changes, (known, all) => {
        const typed = all.reduce((word, [at, by]) => word.slice(0, at) + by + word.slice(at + 1), known);
        fc.pre(typed.length >= 4);
        const isNear = editDistance(typed, known, typed.length >= 7 ? 2 : 1) !== null;
        const { correct } = createSpelling(new Map([[known, 1]]), new Set());
        expect(correct(typed)).toBe(isNear ? known : typed);
      }),
    );
  });

  it('does not change words that the portal uses', () => {
    fc.assert(fc.property(fc.subarray(WORDS), (words) => correct(words.join(' ')) === words.join(' ')));
  });
});

describe('the edit distance', () => {
  it('equals its recursive definition, and is null above the maximum', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 3 }), (one, other, most) => {
        const distance = slowDistance(one, other);
        expect(editDistance(one, other, most)).toBe(distance > most ? null : distance);
      }),
    );
  });
});
