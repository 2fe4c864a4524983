import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCount } from './digit-grouping.ts';

it('a count of any size is formatted as Intl formats it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(0, 999, 1_000, 1_000_000), fc.maxSafeNat()), (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
});
