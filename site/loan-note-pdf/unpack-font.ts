import { inflateSync } from 'node:zlib';

const HEADER_BYTES = 12;
const ENTRY_BYTES = 16;
const PACKED_HEADER_BYTES = 44;
const PACKED_ENTRY_BYTES = 20;
const padToFour = (length: number) => Math.ceil(length / 4) * 4;

/**
 * Unpacks a WOFF file into its OpenType font (https://www.w3.org/TR/WOFF/#OverallStructure), because the PDF library would unpack
 * the tables of a WOFF file again for every character.
 * @throws {Error} for other files
 */
export function unpackFont(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('The font is not a WOFF file.');
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const packedEntryOffset = PACKED_HEADER_BYTES + index * PACKED_ENTRY_BYTES;
    const offset = woff.readUInt32BE(packedEntryOffset + 4);
    const length = woff.readUInt32BE(packedEntryOffset + 12);
    const packed = woff.subarray(offset, offset + woff.readUInt32BE(packedEntryOffset + 8));
    return {
      tag: woff.subarray(packedEntryOffset, packedEntryOffset + 4),
      checksum: woff.readUInt32BE(packedEntryOffset + 16),
      // A table that does not compress well is stored uncompressed.
      bytes: packed.length < length ? inflateSync(packed) : packed,
    };
  });
  const start = HEADER_BYTES + count * ENTRY_BYTES;
  const size = tables.reduce((sum, { bytes }) => sum + padToFour(bytes.length), start);
  const font = Buffer.alloc(size);
  woff.copy(font, 0, 4, 8);
  font.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  font.writeUInt16BE(2 ** power * ENTRY_BYTES, 6);
  font.writeUInt16BE(power, 8);
  font.writeUInt16BE(count * ENTRY_BYTES - 2 ** power * ENTRY_BYTES, 10);
  let tableOffset = start;
  tables.forEach(({ tag, checksum, bytes }, index) => {
    const entryOffset = HEADER_BYTES + index * ENTRY_BYTES;
    tag.copy(font, entryOffset);
    font.writeUInt32BE(checksum, entryOffset + 4);
    font.writeUInt32BE(tableOffset, entryOffset + 8);
    font.writeUInt32BE(bytes.length, entryOffset + 12);
    bytes.copy(font, tableOffset);
    tableOffset += padToFour(bytes.length);
  });
  return font;
}
