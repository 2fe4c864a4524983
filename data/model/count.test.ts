import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount } from './count.ts';

describe('a count', () => {
  it('has commas between thousands only', () => {
    expect([0, 999, 1_000, 999_999, 1_000_000].map(formatCount)).toEqual([
      '0',
      '999',
      '1,000',
      '999,999',
      '1,000,000',
    ]);
  });

  it('equals the formatting of Intl, for any size', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (count) => {
        expect(formatCount(count)).toBe(count.toLocaleString('en-US'));
      }),
    );
  });
});
