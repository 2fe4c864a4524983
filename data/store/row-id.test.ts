import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowId } from './row-id.ts';

/** The timestamp has 48 bits, which last until the year 10889. */
const timestamp = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('the id of a row', () => {
  it('is a version 7 UUID that contains its timestamp', () => {
    fc.assert(
      fc.property(timestamp, (at) => {
        const id = rowId(at);
        expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
      }),
    );
  });

  it('is unique, even with the same timestamp', () => {
    const ids = Array.from({ length: 1_000 }, () => rowId(1));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
