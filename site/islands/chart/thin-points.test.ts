import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChartPoint } from './chart-line.ts';
import { thinPoints } from './thin-points.ts';
import { rangeOf } from './value-axis.ts';

const point = (at: number, value: number | null): ChartPoint => ({
  at,
  value,
  text: value === null ? null : String(value),
});
const values = fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { freq: 6 }), {
  minLength: 1,
  maxLength: 300,
});

describe('thinned points', () => {
  it('are all of them while there are few', () => {
    const few = [point(0, 1), point(1, null), point(2, 3)];
    expect(thinPoints(few, 0, 3, 10)).toBe(few);
  });

  it('hold the first, the last, the lowest and the highest point, in their order', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (all, columns) => {
        const points = all.map((value, at) => point(at, value));
        const kept = thinPoints(points, 0, points.length, columns);
        expect([kept[0], kept.at(-1)]).toEqual([points[0], points.at(-1)]);
        expect(rangeOf(kept)).toEqual(rangeOf(points));
        expect(kept).toEqual(points.filter((one) => kept.includes(one)));
      }),
    );
  });

  it('keep every gap, its begin and its end', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (all, columns) => {
        const points = all.map((value, at) => point(at, value));
        const kept = thinPoints(points, 0, points.length, columns);
        const changes = (list: readonly ChartPoint[]) =>
          list.filter(
            ({ value }, index) => index > 0 && (value === null) !== (list[index - 1]?.value === null),
          );
        expect(changes(kept)).toEqual(changes(points));
      }),
    );
  });

  it('of ten thousand are no more than four a column', () => {
    const points = Array.from({ length: 10_000 }, (_, at) => point(at, Math.sin(at) * at));
    expect(thinPoints(points, 0, 10_000, 800).length).toBeLessThanOrEqual(4 * 800);
  });
});
