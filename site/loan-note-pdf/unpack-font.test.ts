import { readFile } from 'node:fs/promises';
import opentype from 'opentype.js';
import { describe, expect, it } from 'vitest';
import { unpackFont } from './unpack-font.ts';

const FILES = [
  'geist/files/geist-latin-500-normal.woff',
  'geist-mono/files/geist-mono-latin-400-normal.woff',
];
const arrayBuffer = (bytes: Buffer) => new Uint8Array(bytes).buffer;

/** The format's checksum: the sum of big-endian 32-bit words, the last one padded. */
function checksum(table: Buffer): number {
  const whole = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
  let sum = 0;
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0;
  return sum;
}

describe('an unpacked font', () => {
  it.each(FILES)('has the tables and glyphs of %s', async (file) => {
    const woff = await readFile(`node_modules/@fontsource/${file}`);
    const font = unpackFont(woff);
    // The table directory of an OpenType font: 16 bytes for each entry, from byte 12.
    for (let index = 0; index < font.readUInt16BE(4); index++) {
      const entry = 12 + index * 16;
      const start = font.readUInt32BE(entry + 8);
      const table = font.subarray(start, start + font.readUInt32BE(entry + 12));
      // The checksum of `head` excludes its own `checkSumAdjustment` field.
      if (font.toString('latin1', entry, entry + 4) !== 'head')
        expect(checksum(table)).toBe(font.readUInt32BE(entry + 4));
    }
    const drawn = (bytes: Buffer) =>
      opentype.parse(arrayBuffer(bytes)).getPath('14.4% a year, 2 × $7,200', 0, 0, 100).toPathData(2);
    expect(drawn(font)).toBe(drawn(woff));
  });

  it('fails for other files', () => {
    expect(() => unpackFont(Buffer.from('wOF2 and more'))).toThrow('WOFF');
  });
});
