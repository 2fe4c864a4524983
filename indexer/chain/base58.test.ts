import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../rpc/json-shape.ts';
import { decodeInstructionData, encodeBase58 } from './base58.ts';

/** Byte arrays with frequent leading zeros, because base58 encodes each leading zero as a separate digit. */
const bytes = (maxLength: number) =>
  fc
    .tuple(fc.nat(4), fc.uint8Array({ maxLength }))
    .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]));

describe('base58, tested against the bs58 library', () => {
  it('encodes signatures, keys and any other bytes to the same text', () => {
    fc.assert(
      fc.property(bytes(70), (data) => {
        expect(encodeBase58(data)).toBe(bs58.encode(data));
      }),
    );
    expect(encodeBase58(new Uint8Array(32))).toBe('1'.repeat(32));
    expect(encodeBase58(new Uint8Array(64).fill(255))).toBe(bs58.encode(new Uint8Array(64).fill(255)));
  });

  it("decodes an instruction's data to the same bytes, short or long", () => {
    fc.assert(
      fc.property(bytes(600), (data) => {
        expect(Buffer.from(decodeInstructionData(bs58.encode(data)))).toEqual(Buffer.from(data));
      }),
    );
    expect(Buffer.from(decodeInstructionData('1'.repeat(300)))).toEqual(Buffer.alloc(300));
  });

  it.each([
    ['a character that is not a digit', '0OIl'],
    ['one such character in a long text', `${'2'.repeat(300)}0${'2'.repeat(300)}`],
    ['a text of more than ten kilobytes', '2'.repeat(14_001)],
  ])('rejects %s', (_what, text) => {
    expect(() => decodeInstructionData(text)).toThrow(ShapeError);
  });

  it('decodes the longest instruction data more than five times as fast as the library', () => {
    const longest = 'z'.repeat(13_900);
    const quickestMs = (read: (text: string) => unknown): number =>
      Math.min(
        ...Array.from({ length: 2 }, () => {
          const startedAt = performance.now();
          read(longest);
          return performance.now() - startedAt;
        }),
      );
    // Only the faster run counts, so that other work on the machine is not measured.
    expect(5 * quickestMs(decodeInstructionData)).toBeLessThan(quickestMs(bs58.decode));
  });
});
