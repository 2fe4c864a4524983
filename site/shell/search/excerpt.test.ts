import { describe, expect, it } from 'vitest';
import { excerptParts } from './excerpt.ts';

describe('an excerpt', () => {
  it('comes in pieces, those that match marked', () => {
    expect(excerptParts('The <mark>lock</mark> ends. No <mark>lock</mark>')).toEqual([
      { text: 'The ', isMatch: false },
      { text: 'lock', isMatch: true },
      { text: ' ends. No ', isMatch: false },
      { text: 'lock', isMatch: true },
    ]);
  });

  it('has its entities read once', () => {
    expect(excerptParts('a &lt;b&gt; &amp;amp; <mark>&quot;c&#39;</mark>')).toEqual([
      { text: 'a <b> &amp; ', isMatch: false },
      { text: `"c'`, isMatch: true },
    ]);
  });

  it('keeps any other markup as the text that it is', () => {
    expect(excerptParts('<img src=x onerror=alert(1)>')).toEqual([
      { text: '<img src=x onerror=alert(1)>', isMatch: false },
    ]);
  });

  it('may be empty', () => {
    expect(excerptParts('')).toEqual([]);
  });
});
