import { readFile } from 'node:fs/promises';
import opentype from 'opentype.js';
import subsetFont from 'subset-font';
import { describe, expect, it } from 'vitest';
import { CORE_CHARACTERS, EASTERN_CHARACTERS, unicodeRange, WESTERN_CHARACTERS } from './font-characters.ts';

const SUBSETS = {
  'geist-core.woff2': CORE_CHARACTERS,
  'geist-western.woff2': WESTERN_CHARACTERS,
  'geist-eastern.woff2': EASTERN_CHARACTERS,
  'geist-mono-core.woff2': CORE_CHARACTERS,
} as const;

describe('the characters of the fonts', () => {
  it('are written as ranges', () => {
    expect(unicodeRange('cab x')).toBe('U+20, U+61-63, U+78');
  });

  it('are each in only one file', () => {
    const all = [...CORE_CHARACTERS, ...WESTERN_CHARACTERS, ...EASTERN_CHARACTERS];
    expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([]);
  });

  it.each(Object.entries(SUBSETS))(
    'in %s are those of its unicode-range, and each has a glyph',
    async (name, text) => {
      const faces = (await readFile('site/styles/fonts.css', 'utf8')).match(/@font-face \{[^}]*\}/g) ?? [];
      const face = faces.find((one) => one.includes(`fonts/${name}`)) ?? '';
      const range = /unicode-range:\s*([^;]+);/.exec(face)?.[1] ?? '';
      expect(range.replaceAll(/\s+/g, ' ')).toBe(unicodeRange(text));

      const file = await readFile(`site/styles/fonts/${name}`);
      const { buffer, byteOffset, length } = await subsetFont(file, text, { targetFormat: 'truetype' });
      const font = opentype.parse(buffer.slice(byteOffset, byteOffset + length));
      expect([...text].filter((one) => font.charToGlyphIndex(one) === 0)).toEqual([]);
    },
  );
});
