import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakIntoLines } from './lines.ts';
import { plainText, type Run } from './text-blocks.ts';

/** Each character is one point wide, or two in bold. */
const measure = ({ text, isStrong }: Run) => text.length * (isStrong ? 2 : 1);
const lineTexts = (runs: readonly Run[], width: number) =>
  breakIntoLines(runs, width, measure).map((line) => line.map(({ text }) => text));

describe('lines', () => {
  it('break before they are too wide, and keep the space at the break for copied text', () => {
    expect(lineTexts([{ text: 'one two three' }], 8)).toEqual([['one two '], ['three']]);
  });

  it('keep a word together if its format changes within it', () => {
    expect(
      lineTexts([{ text: 'see the ' }, { text: 'note', isStrong: true }, { text: ', then' }], 15),
    ).toEqual([['see the '], ['note', ', then']]);
  });

  it('have no link that starts or ends with a space', () => {
    const link = { text: 'the page', link: 'https://a.example' };
    expect(lineTexts([{ text: 'see ' }, link, { text: ' now' }], 40)).toEqual([['see ', 'the page', ' now']]);
  });

  it('give a word that is too wide its own line', () => {
    expect(lineTexts([{ text: 'a incomprehensible b' }], 6)).toEqual([['a '], ['incomprehensible '], ['b']]);
  });

  it('keep every word, and are never too wide if each word fits', () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const run = fc.record({ words: fc.array(word, { minLength: 1 }), isStrong: fc.boolean() });
    fc.assert(
      fc.property(fc.array(run), fc.integer({ min: 18, max: 60 }), (sources, width) => {
        const runs = sources.map(({ words, isStrong }) => ({ text: `${words.join(' ')} `, isStrong }));
        const lines = breakIntoLines(runs, width, measure);
        expect(plainText(lines.flat()).trim()).toBe(plainText(runs).trim());
        for (const line of lines) {
          const end = line.at(-1);
          const trailingSpaceWidth = end?.text.endsWith(' ') ? measure({ ...end, text: ' ' }) : 0;
          const lineWidth = line.reduce((sum, part) => sum + part.width, 0) - trailingSpaceWidth;
          expect(lineWidth).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
