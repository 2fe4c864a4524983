import { inflateSync } from 'node:zlib';

const HEADER = 12;
const ENTRY = 16;
const PACKED_HEADER = 44;
const PACKED_ENTRY = 20;
const padToFour = (length: number) => Math.ceil(length / 4) * 4;

/**
 * Unpacks a WOFF file into its OpenType font (https://www.w3.org/TR/WOFF/#OverallStructure), because the PDF library would unpack
 * the tables of a WOFF file again for every character.
 * @throws {Error} for other files
 */
export function unpackedFont(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('The font is not a WOFF file.');
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = PACKED_HEADER + index * PACKED_ENTRY;
    const offset = woff.readUInt32BE(at + 4);
    const length = woff.readUInt32BE(at + 12);
    const packed = woff.subarray(offset, offset + woff.readUInt32BE(at + 8));
    return {
      tag: woff.subarray(at, at + 4),
      checksum: woff.readUInt32BE(at + 16),
      // A table that does not compress well is stored uncompressed.
      bytes: packed.length < length ? inflateSync(packed) : packed,
    };
  });
  const start = HEADER + count * ENTRY;
  const size = tables.reduce((sum, { bytes }) => sum + padToFour(bytes.length), start);
  const font = Buffer.alloc(size);
  woff.copy(font, 0, 4, 8);
  font.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  font.writeUInt16BE(2 ** power * ENTRY, 6);
  font.writeUInt16BE(power, 8);
  font.writeUInt16BE(count * ENTRY - 2 ** power * ENTRY, 10);
  let at = start;
  tables.forEach(({ tag, checksum, bytes }, index) => {
    const entry = HEADER + index * ENTRY;
    tag.copy(font, entry);
    font.writeUInt32BE(checksum, entry + 4);
    font.writeUInt32BE(at, entry + 8);
    font.writeUInt32BE(bytes.length, entry + 12);
    bytes.copy(font, at);
    at += padToFour(bytes.length);
  });
  return font;
}
