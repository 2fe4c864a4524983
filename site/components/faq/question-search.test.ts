import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAll, fold, foldQuery, questionSearch } from './question-search.ts';

const found = (text: string, query: string) => findAll(fold(text), foldQuery(query));

describe('the FAQ search', () => {
  it('finds parts of words in any case', () => {
    expect(found('When does the LOCK end? It unlocks.', 'lock')).toEqual([
      [14, 18],
      [29, 33],
    ]);
  });

  it('finds words across lines, and matches typographic quotes and dashes with plain ones', () => {
    expect(found('no early\nwithdrawal', '  early   withdrawal ')).toEqual([[3, 19]]);
    expect(found('the project’s “own” − and no other', 'project\'s "own" -')).toHaveLength(1);
  });

  it('finds nothing for an empty or absent query', () => {
    expect(found('anything', '   ')).toEqual([]);
    expect(found('anything', 'anythings')).toEqual([]);
  });

  it('keeps the length of folded text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fold(text)).toHaveLength(text.length);
      }),
    );
    expect(fold('İstanbul')).toHaveLength('İstanbul'.length);
  });

  it('finds every query that a text contains, at its offset', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, query, after) => {
        const text = fold(before + query + after);
        const matches = findAll(text, fold(query));
        expect(matches.length).toBeGreaterThan(0);
        for (const [start, end] of matches) expect(text.slice(start, end)).toBe(fold(query));
      }),
    );
  });
});

describe('the FAQ search among several questions', () => {
  const TEXTS = {
    lock: 'How long is my stake locked? There is no early withdrawal.',
    withdraw: 'Can I withdraw early? No.',
    card: 'Who can have a card? Each wallet with a stake.',
    us: 'Tell us. Use USDT.',
  };
  const search = questionSearch(Object.values(TEXTS).map(fold), [
    ['withdraw', 'unstake', 'withdrawal'],
    ['card', 'visa', 'mastercard'],
  ]);
  /** The ids of the questions that a query finds, and the words that matched. */
  const find = (query: string) => {
    const found = search(foldQuery(query));
    const results = Object.entries(TEXTS).flatMap(([id, text], index) => {
      const result = found[index];
      return result
        ? [{ id, ...result, words: result.matches.map(([from, to]) => text.slice(from, to)) }]
        : [];
    });
    const ids = (isExact: boolean) => results.filter((one) => one.isExact === isExact).map(({ id }) => id);
    return { exact: ids(true), close: ids(false), words: results.map(({ words }) => words) };
  };

  it('finds one word as a part of any word', () => {
    expect(find('LOCK')).toEqual({ exact: ['lock'], close: [], words: [['lock']] });
    expect(find('us')).toMatchObject({ exact: ['us'], words: [['us', 'Us', 'US']] });
  });

  it('finds several words in any order, and short ones as whole words', () => {
    expect(find('withdrawal early')).toEqual({
      exact: ['lock'],
      close: ['withdraw'],
      words: [
        ['early', 'withdrawal'],
        ['withdraw', 'early'],
      ],
    });
    expect(find('have who')).toMatchObject({ exact: ['card'] });
    expect(find('usdt us')).toMatchObject({ exact: ['us'], words: [['us', 'USDT']] });
    expect(find('stake? locked')).toMatchObject({ exact: ['lock'] });
  });

  it.each([
    ['a letter left out', 'witdraw', ['lock', 'withdraw']],
    ['a letter too many', 'locckd', []],
    ['a wrong letter', 'wallst', ['card']],
    ['two letters swapped', 'lokced', ['lock']],
    ['two errors in a long word', 'withdrwaall', ['lock', 'withdraw']],
    ['an error in a synonym that no text has', 'mastercrad', ['card']],
    ['an error in a short word', 'crd', []],
  ])('finds %s as a close match only', (_error, query, close) => {
    expect(find(query)).toMatchObject({ exact: [], close });
  });

  it('finds synonyms as close matches, also in the plural and among filler words', () => {
    expect(find('unstake')).toMatchObject({ exact: [], close: ['lock', 'withdraw'] });
    expect(find('visas')).toMatchObject({ exact: [], close: ['card'], words: [['card']] });
    expect(find('how can I unstake')).toMatchObject({ exact: [], close: ['lock', 'withdraw'] });
  });

  it('does not correct a word that a text has, and needs every word that is not a filler', () => {
    expect(find('wallet').close).toEqual([]);
    expect(find('unstake elephants')).toEqual({ exact: [], close: [], words: [] });
    expect(find('how who')).toMatchObject({ close: [] });
  });

  it('finds nothing for an empty query or punctuation that no text has', () => {
    expect([find(''), find('!')]).toEqual(Array(2).fill({ exact: [], close: [], words: [] }));
  });
});
