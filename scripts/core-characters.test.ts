import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CORE_CHARACTERS, unicodeRange } from './core-characters.ts';

/** Every code point of a `unicode-range` value. */
function points(range: string): number[] {
  return range.split(',').flatMap((part) => {
    const [first = '', last = first] = part.trim().replace('U+', '').split('-');
    const from = Number.parseInt(first, 16);
    return Array.from({ length: Number.parseInt(last, 16) - from + 1 }, (_, index) => from + index);
  });
}

describe('the characters of the core fonts', () => {
  it('are written as ranges', () => {
    expect(unicodeRange('cab x')).toBe('U+20, U+61-63, U+78');
  });

  it('are the ones that the stylesheet takes from them, and none of them is taken from the whole font', async () => {
    const faces = (await readFile('site/styles/fonts.css', 'utf8')).match(/@font-face \{[^}]*\}/g) ?? [];
    const rangeOf = (file: string) => {
      const face = faces.find((one) => one.includes(file)) ?? '';
      return points(/unicode-range:\s*([^;]+);/.exec(face)?.[1] ?? '');
    };
    const core = points(unicodeRange(CORE_CHARACTERS));
    expect(rangeOf('fonts/geist-core.woff2')).toEqual(core);
    expect(rangeOf('fonts/geist-mono-core.woff2')).toEqual(core);
    const rest = rangeOf('geist-latin-wght-normal.woff2');
    expect(rest.length).toBeGreaterThan(80);
    expect(rest.filter((point) => core.includes(point))).toEqual([]);
  });
});
