import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelay } from './pause.ts';

describe('the backoff after failures', () => {
  it('is between zero and a ceiling that doubles up to a maximum', () => {
    const ceilings = [1, 2, 3, 4, 7, 100].map((failures) => backoffDelay(failures, () => 1));
    expect(ceilings).toEqual([250, 500, 1_000, 2_000, 5_000, 5_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, drawn) => {
          const delay = backoffDelay(failures, () => drawn);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(backoffDelay(failures, () => 1));
        },
      ),
    );
  });
});
