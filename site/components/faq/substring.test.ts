import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAll, fold, foldQuery } from './substring.ts';

const found = (text: string, query: string) => findAll(fold(text), foldQuery(query));

describe('the search of the questions', () => {
  it('finds a part of a word, whatever the case', () => {
    expect(found('When does the LOCK end? It unlocks.', 'lock')).toEqual([
      [14, 18],
      [29, 33],
    ]);
  });

  it('finds words over the end of a line, and quotes and dashes as they are typed', () => {
    expect(found('no early\nwithdrawal', '  early   withdrawal ')).toEqual([[3, 19]]);
    expect(found('the project’s “own” − and no other', 'project\'s "own" -')).toHaveLength(1);
  });

  it('finds nothing for nothing, nor for what is not there', () => {
    expect(found('anything', '   ')).toEqual([]);
    expect(found('anything', 'anythings')).toEqual([]);
  });

  it('does not read a query as a pattern', () => {
    expect(found('4.5% of (any) amount', '.')).toEqual([[1, 2]]);
    expect(found('4.5% of (any) amount', '(any)')).toHaveLength(1);
  });

  it('keeps every offset: a folded text is as long as the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fold(text)).toHaveLength(text.length);
      }),
    );
    expect(fold('İstanbul')).toHaveLength('İstanbul'.length);
  });

  it('finds whatever a text holds, at the place where it stands', () => {
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
