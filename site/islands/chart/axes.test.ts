import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chartMomentText, extentOf, markLabels, timeMarks, valueAxis } from './axes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TO = Date.UTC(2026, 10, 21, 15, 30);
const timeLabels = (lengthMs: number) => timeMarks(TO - lengthMs, TO).map((mark) => mark.label);

describe('a horizontal axis', () => {
  it('has hour marks for a day, day marks for a month and month marks for a year', () => {
    expect(timeLabels(DAY_MS)).toEqual(['18:00', '21 Nov', '06:00', '12:00']);
    expect(timeLabels(30 * DAY_MS)).toEqual(['29 Oct', '5 Nov', '12 Nov', '19 Nov']);
    expect(timeLabels(365 * DAY_MS)).toEqual(['Jan 2026', 'Apr 2026', 'Jul 2026', 'Oct 2026']);
  });

  it('has at most five marks, all inside the axis and in ascending order, at any length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: HOUR_MS, max: 8_000 * DAY_MS }),
        fc.nat(400 * DAY_MS),
        (lengthMs, offsetMs) => {
          const to = TO + offsetMs;
          const marks = timeMarks(to - lengthMs, to).map(({ at }) => at);
          expect(marks.length).toBeLessThanOrEqual(5);
          expect(marks).toEqual(marks.filter((at) => at > to - lengthMs && at < to));
          expect(marks).toEqual(marks.toSorted((one, other) => one - other));
        },
      ),
    );
  });

  it('formats times to the minute, in UTC', () => {
    expect(chartMomentText(TO)).toBe('21 Nov 2026, 15:30');
  });
});

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 15n }).map((units) => Number(units) / 1e6),
  fc.integer({ min: 0, max: 1_000_000 }).map((units) => units / 1e9),
  fc.integer({ min: 0, max: 50 }),
);

describe('a vertical axis', () => {
  it('has marks at round numbers around its values', () => {
    expect(valueAxis(18_100_000, 20_900_000, false).marks).toEqual([18e6, 19e6, 20e6, 21e6]);
    expect(markLabels(valueAxis(18_100_000, 20_900_000, false))).toEqual(['18M', '19M', '20M', '21M']);
  });

  it('covers both values in at most six steps, never goes below zero, and never repeats a label', () => {
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
        const labels = markLabels({ bottom, top, marks, step });
        expect(new Set(labels).size).toBe(labels.length);
      }),
      { numRuns: 500 },
    );
  });

  it('centers a constant line, but starts at zero if the line is zero', () => {
    const { bottom, top } = valueAxis(100, 100, false);
    expect(100 - bottom).toBeCloseTo(top - 100, 6);
    expect(valueAxis(0, 0, true)).toMatchObject({ bottom: 0 });
  });

  it('has marks at whole numbers for counts', () => {
    expect(valueAxis(8, 9, true).marks).toEqual([7, 8, 9, 10]);
    expect(markLabels(valueAxis(0, 3, true))).toEqual(['0', '1', '2', '3', '4']);
  });

  it('shows enough decimals of a small price to distinguish its marks', () => {
    const labels = ['0.000110', '0.000111', '0.000112', '0.000113'];
    expect(markLabels(valueAxis(0.0001105, 0.000113, false))).toEqual(labels);
  });

  it('has the range of the known values, or zeros if none is known', () => {
    expect(extentOf([{ value: null }])).toEqual([0, 0]);
    expect(extentOf([{ value: 3 }, { value: null }, { value: -1 }])).toEqual([-1, 3]);
  });
});
