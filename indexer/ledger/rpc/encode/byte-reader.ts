import { isUtf8 } from 'node:buffer';
import { encodeKey } from '../../base58-cache.ts';

/** Strict UTF-8 text; bytes that are not throw a RangeError. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new RangeError('the bytes are not UTF-8 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Reads little-endian data from front to back; every read past the end throws a RangeError. */
export class ByteReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  private advance(length: number): number {
    if (length > this.remaining) {
      throw new RangeError(`${length} bytes wanted at offset ${this.offset}, ${this.remaining} left`);
    }
    const start = this.offset;
    this.offset += length;
    return start;
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.advance(8), true);
  }

  take(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Base58 of the next 32 bytes. */
  address(): string {
    return encodeKey(this.take(32));
  }

  /** Text behind a u64 length, as bincode writes it. */
  text(): string {
    const length = this.u64();
    if (length > BigInt(this.remaining)) throw new RangeError(`text of ${length} bytes runs past the end`);
    return decodeUtf8(this.take(Number(length)));
  }
}
