import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptParts, matchParts } from './search-results.ts';

describe('an excerpt', () => {
  it('is split into matches and other text', () => {
    expect(excerptParts('The <mark>lock</mark> ends. No <mark>lock</mark>')).toEqual([
      { text: 'The ', isMatch: false },
      { text: 'lock', isMatch: true },
      { text: ' ends. No ', isMatch: false },
      { text: 'lock', isMatch: true },
    ]);
  });

  it('has its entities decoded once', () => {
    expect(excerptParts('a &lt;b&gt; &amp;amp; <mark>&quot;c&#39;</mark>')).toEqual([
      { text: 'a <b> &amp; ', isMatch: false },
      { text: `"c'`, isMatch: true },
    ]);
  });

  it('keeps other markup as text', () => {
    expect(excerptParts('<img src=x onerror=alert(1)>')).toEqual([
      { text: '<img src=x onerror=alert(1)>', isMatch: false },
    ]);
  });

  it('can be empty', () => {
    expect(excerptParts('')).toEqual([]);
  });
});

describe('an excerpt of a section', () => {
  const LONG_TEXT = 'one two three four five six seven eight nine ten '.repeat(4).trim();
  const join = (parts: ReturnType<typeof matchParts>) => parts.map(({ text }) => text).join('');

  it('marks the matching words without the punctuation around them', () => {
    expect(matchParts('A fee, of 4.5% (no fee).', (word) => word === 'fee' || word === '4.5')).toEqual([
      { text: 'A', isMatch: false },
      { text: ' ', isMatch: false },
      { text: 'fee', isMatch: true },
      { text: ', ', isMatch: false },
      { text: 'of', isMatch: false },
      { text: ' ', isMatch: false },
      { text: '4.5', isMatch: true },
      { text: '% (', isMatch: false },
      { text: 'no', isMatch: false },
      { text: ' ', isMatch: false },
      { text: 'fee', isMatch: true },
      { text: ').', isMatch: false },
    ]);
  });

  it('is the whole text if the text is short, and otherwise begins shortly before the first match', () => {
    expect(join(matchParts('Short text.', () => false))).toBe('Short text.');
    const excerpt = join(matchParts(`${LONG_TEXT} end`, (word) => word === 'end'));
    expect(excerpt).toBe('… five six seven eight nine ten end');
    expect(join(matchParts(LONG_TEXT, () => false))).toMatch(/^one .* two …$/);
  });

  it('keeps every character of a text that it does not cut', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (text) => {
        expect(join(matchParts(text, (word) => word.length > 2))).toBe(text);
      }),
    );
  });
});
