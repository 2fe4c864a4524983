import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactMatches, fold, foldQuery, matchingWords } from './text-matches.ts';

const findRanges = (text: string, query: string) => exactMatches(fold(text), foldQuery(query));

describe('the FAQ search', () => {
  it('finds words across lines, and matches typographic quotes and dashes with plain ones', () => {
    expect(findRanges('no early\nwithdrawal', '  early   withdrawal ')).toEqual([[3, 19]]);
    expect(findRanges('the project’s “own” − and no other', 'project\'s "own" -')).toHaveLength(1);
  });

  it('folds text without changing its length', () => {
    // fast-check's `binary` unit first lists every code point, which takes seconds.
    const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(fold(text)).toHaveLength(text.length);
      }),
    );
    expect(fold('İstanbul')).toHaveLength('İstanbul'.length);
  });

  it('finds every query that a text contains, at its offset', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, query, after) => {
        const text = fold(before + query + after);
        const matches = exactMatches(text, fold(query));
        expect(matches.length).toBeGreaterThan(0);
        for (const [start, end] of matches) expect(text.slice(start, end)).toBe(fold(query));
      }),
    );
  });
});

describe('a question', () => {
  const TEXT = 'How long is my stake locked? There is no early withdrawal. Tell us in USDT.';
  const findMatchedTexts = (query: string) =>
    exactMatches(fold(TEXT), foldQuery(query)).map(([from, to]) => TEXT.slice(from, to));

  it.each([
    ['one word, also within longer words', 'LOCK', ['lock']],
    ['one short word, also within longer words', 'us', ['us', 'US']],
    ['a phrase', 'early   withdrawal', ['early withdrawal']],
    ['several words in any order', 'withdrawal early', ['early', 'withdrawal']],
    ['several words, short ones only as whole words', 'usdt us', ['us', 'USDT']],
    ['words with punctuation around them', 'stake? (locked)', ['stake', 'locked']],
  ])('is found by %s', (_case, query, found) => {
    expect(findMatchedTexts(query)).toEqual(found);
  });

  it.each(['', '!', 'lokced', 'unstake', 'early elephants'])('is not found by “%s”', (query) => {
    expect(findMatchedTexts(query)).toEqual([]);
  });

  it('marks only the words that the given test accepts', () => {
    const matches = matchingWords(TEXT, (word) => word === 'early' || word === 'USDT');
    expect(matches.map(([from, to]) => TEXT.slice(from, to))).toEqual(['early', 'USDT']);
  });
});
