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
  const paddedTable = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
  let sum = 0;
  for (let at = 0; at < paddedTable.length; at += 4) sum = (sum + paddedTable.readUInt32BE(at)) >>> 0;
  return sum;
}

describe('an unpacked font', () => {
  it.each(FILES)('has the tables and glyphs of %s', async (file) => {
    const woff = await readFile(`node_modules/@fontsource/${file}`);
    const font = unpackFont(woff);
    // The table directory of an OpenType font: 16 bytes for each entry, from byte 12.
    for (let index = 0; index < font.readUInt16BE(4); index++) {
      const entryOffset = 12 + index * 16;
      const start = font.readUInt32BE(entryOffset + 8);
      const table = font.subarray(start, start + font.readUInt32BE(entryOffset + 12));
      // The checksum of `head` excludes its own `checkSumAdjustment` field.
      if (font.toString('latin1', entryOffset, entryOffset + 4) !== 'head')
        expect(checksum(table)).toBe(font.readUInt32BE(entryOffset + 4));
    }
    const drawText = (bytes: Buffer) =>
      opentype.parse(arrayBuffer(bytes)).getPath('14.4% a year, 2 × $7,200', 0, 0, 100).toPathData(2);
    expect(drawText(font)).toBe(drawText(woff));
  });
});

it('unpackFont rejects a file in another format', () => {
  expect(() => unpackFont(Buffer.from('wOF2 and more'))).toThrow('WOFF');
});
