import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakLines } from './share-image.ts';

const letterCount = (line: string) => line.length;

describe('lines of text', () => {
  it('have as many words as fit', () => {
    expect(breakLines('one two three four', 9, 9, letterCount)).toEqual(['one two', 'three', 'four']);
  });

  it('end in an ellipsis if there are too many', () => {
    expect(breakLines('one two three four five', 9, 2, letterCount)).toEqual(['one two', 'three …']);
  });

  it('lose no word if there is room for all, and are never too wide', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 8, max: 40 }),
        (words, width) => {
          const lines = breakLines(words.join(' '), width, 99, letterCount);
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
