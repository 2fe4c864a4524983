import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from './json.ts';

describe('JSON with 64-bit integers', () => {
  it('writes a bigint as a bare number and loses no digit', () => {
    expect(stringifyJson({ lamports: 18446744073709551615n, list: [0n, -1n] })).toBe(
      '{"lamports":18446744073709551615,"list":[0,-1]}',
    );
  });

  it('leaves out undefined members', () => {
    expect(stringifyJson({ a: undefined, b: null })).toBe('{"b":null}');
  });

  it('reads back every unsigned 64-bit integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const parsed = parseJson(stringifyJson([value]));
        expect(Array.isArray(parsed) && BigInt(parsed[0])).toBe(value);
      }),
    );
  });

  it('reads what JSON.parse reads, but for the digits of long integers', () => {
    const rounded = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_key, member: unknown) =>
          typeof member === 'bigint' ? Number(member) : member,
        ),
      );
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(rounded(parseJson(text))).toEqual(rounded(JSON.parse(text)));
      }),
    );
  });

  it('keeps safe integers, fractions and digits within text as they are', () => {
    expect(
      parseJson('[9007199254740991, 9007199254740993, 0.1234567890123456, "12345678901234567890"]'),
    ).toEqual([9007199254740991, 9007199254740993n, 0.1234567890123456, '12345678901234567890']);
  });
});
