import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeShares } from './shares.ts';

const share = (percent: number, index = 0) => ({ id: `part-${index}`, label: `Part ${index}`, percent });

describe('parts of a bar', () => {
  it('are as wide as their shares, side by side', () => {
    const placed = placeShares([share(50), share(30), share(20)], 102, 1);
    expect(placed.map(({ x, width }) => [x, width])).toEqual([
      [0, 50],
      [51, 30],
      [82, 20],
    ]);
  });

  it('fill the whole width', () => {
    const percents = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(percents, (all) => {
        const last = placeShares(all.map(share), 1_000, 3).at(-1);
        expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(1_000, 1);
      }),
    );
  });
});
