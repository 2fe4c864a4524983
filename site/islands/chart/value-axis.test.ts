import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markWords, rangeOf, valueAxis } from './value-axis.ts';

/** Amounts of BD, prices, and counts. */
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 15n }).map((units) => Number(units) / 1e6),
  fc.integer({ min: 0, max: 1_000_000 }).map((units) => units / 1e9),
  fc.integer({ min: 0, max: 50 }),
);

describe('a vertical axis', () => {
  it('has round marks around the values', () => {
    expect(valueAxis(18_100_000, 20_900_000, false).marks).toEqual([18e6, 19e6, 20e6, 21e6]);
    expect(markWords(valueAxis(18_100_000, 20_900_000, false))).toEqual(['18M', '19M', '20M', '21M']);
  });

  it('holds both ends in few even steps, never goes below zero, and names each mark differently', () => {
    fc.assert(
      fc.property(amount, amount, fc.boolean(), (one, other, isCount) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)].map((value) =>
          isCount ? Math.round(value) : value,
        ) as [number, number];
        const { bottom, top, marks, step } = valueAxis(low, high, isCount);
        const slack = step * 1e-6;
        expect(bottom).toBeLessThanOrEqual(low + slack);
        expect(top).toBeGreaterThanOrEqual(high - slack);
        expect(bottom).toBeGreaterThanOrEqual(0);
        expect(top).toBeGreaterThan(bottom);
        expect(marks.length).toBeGreaterThanOrEqual(2);
        expect(marks.length).toBeLessThanOrEqual(7);
        const words = markWords({ bottom, top, marks, step });
        expect(new Set(words).size).toBe(words.length);
      }),
      { numRuns: 500 },
    );
  });

  it('puts a line that never moves in its middle, and a zero at its foot', () => {
    const { bottom, top } = valueAxis(100, 100, false);
    expect(100 - bottom).toBeCloseTo(top - 100, 6);
    expect(valueAxis(0, 0, true)).toMatchObject({ bottom: 0 });
  });

  it('of counts has whole marks', () => {
    expect(valueAxis(8, 9, true).marks).toEqual([7, 8, 9, 10]);
    expect(markWords(valueAxis(0, 3, true))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('of a small price has as many decimals as tell its marks apart', () => {
    expect(markWords(valueAxis(0.0001105, 0.000113, false))).toEqual([
      '0.000110',
      '0.000111',
      '0.000112',
      '0.000113',
    ]);
  });

  it('has a range of nothing where nothing is known', () => {
    expect(rangeOf([{ value: null }])).toEqual([0, 0]);
    expect(rangeOf([{ value: 3 }, { value: null }, { value: -1 }])).toEqual([-1, 3]);
  });
});
