import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowId } from './row-id.ts';

/** Up to the year 10889, where the 48 bits end. */
const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('the id of a row', () => {
  it('is a UUID of version 7 that contains its moment', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const id = rowId(at);
        expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
      }),
    );
  });

  it('sorts by its moment', () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        fc.pre(one < other);
        expect(rowId(one) < rowId(other)).toBe(true);
      }),
    );
  });

  it('is unique, even at the same moment', () => {
    const ids = Array.from({ length: 1_000 }, () => rowId(1));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
