import { describe, expect, it } from 'vitest';
import { excerptParts } from './search-results.ts';

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
