import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extentOf } from './axes.ts';
import {
  type ChartLine,
  type ChartPoint,
  chartLine,
  cursorStops,
  nextStopIndex,
  pointAt,
  stepArea,
  stepPath,
  stopIndexAt,
  thinPoints,
} from './chart-line.ts';

const points = [0, 10, 20].map((at) => ({ at, text: '1', value: 1 }));

describe('the chart cursor', () => {
  it('stops at each change and at the end of the known part of the line', () => {
    expect(cursorStops({ points, from: 5, to: 40, knownUntil: 30 })).toEqual([5, 10, 20, 30]);
    expect(cursorStops({ points, from: 5, to: 40, knownUntil: 20 })).toEqual([5, 10, 20]);
    expect(cursorStops({ points: [], from: 5, to: 40, knownUntil: 20 })).toEqual([]);
  });

  it('is at the last stop up to a given time, or else at the first stop', () => {
    expect([1, 5, 12, 99].map((moment) => stopIndexAt([5, 10, 20], moment))).toEqual([0, 0, 1, 2]);
  });

  it('moves with the arrow, page, Home and End keys, but never beyond the ends', () => {
    expect([nextStopIndex('ArrowRight', 1, 3), nextStopIndex('ArrowLeft', 1, 3)]).toEqual([2, 0]);
    expect([nextStopIndex('ArrowRight', 2, 3), nextStopIndex('ArrowLeft', 0, 3)]).toEqual([2, 0]);
    expect([nextStopIndex('PageDown', 50, 100), nextStopIndex('PageUp', 50, 100)]).toEqual([40, 60]);
    expect([nextStopIndex('Home', 50, 100), nextStopIndex('End', 50, 100)]).toEqual([0, 99]);
  });

  it('ignores other keys', () => {
    for (const key of ['Tab', 'a', 'Enter', 'toString']) expect(nextStopIndex(key, 1, 3)).toBeNull();
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 20_000 * DAY_MS;
type HistoryPoint = readonly [hoursAgo: number, value: string];
const history = (...points: readonly HistoryPoint[]) =>
  points.map(([hoursAgo, value]) => ({ at: new Date(NOW - hoursAgo * HOUR_MS).toISOString(), value }));
const lineOfDay = (...points: readonly HistoryPoint[]) =>
  chartLine(history(...points), '24h', null, NOW, NOW);

describe('the chart line', () => {
  it('spans its range up to now, or the whole history for the range `all`', () => {
    expect(lineOfDay([2, '1'])).toMatchObject({ from: NOW - DAY_MS, to: NOW });
    const lineOfAll = chartLine(history([100, '1'], [2, '2']), 'all', null, NOW, NOW);
    expect(lineOfAll).toMatchObject({ from: NOW - 100 * HOUR_MS, to: NOW });
    expect(chartLine(history([0, '1']), 'all', null, NOW, NOW).from).toBeLessThan(NOW);
  });

  it('begins with the value that was current when the range began', () => {
    const { points } = lineOfDay([90, '1'], [30, '2'], [3, '3']);
    expect(points.map(({ text }) => text)).toEqual(['2', '3']);
    expect(pointAt(lineOfDay([90, '1'], [30, '2'], [3, '3']), NOW - DAY_MS)?.text).toBe('2');
  });

  it('has a gap before its first point', () => {
    expect(pointAt(lineOfDay([3, '7']), NOW - 4 * HOUR_MS)).toBeNull();
    expect(pointAt(lineOfDay([3, '7']), NOW - 3 * HOUR_MS)?.value).toBe(7);
  });

  it('has a gap after its known part ends', () => {
    const endedLine = chartLine(history([5, '7']), '24h', null, NOW - HOUR_MS, NOW);
    expect(pointAt(endedLine, NOW - HOUR_MS)?.value).toBe(7);
    expect(pointAt(endedLine, NOW - HOUR_MS + 1)).toBeNull();
  });

  it.each(['', 'NaN', '1e5', '0x1', ' 1', '1.'])('has a gap for the value %j', (text) => {
    const lineWithGap = lineOfDay([5, '7'], [3, text], [2, '8']);
    expect(pointAt(lineWithGap, NOW - 3 * HOUR_MS)).toBeNull();
    expect(lineWithGap.points.map(({ value }) => value)).toEqual([7, null, 8]);
  });

  it('keeps the exact text of each number', () => {
    const [point] = lineOfDay([5, '99998436.010000000000000001']).points;
    expect(point).toMatchObject({ text: '99998436.010000000000000001', value: 99_998_436.01 });
  });

  it('is extended by a later value, but not by an older or an unchanged one', () => {
    const pointsAfter = (hoursAgo: number, text: string) =>
      chartLine(history([5, '7']), '24h', { at: NOW - hoursAgo * HOUR_MS, text }, NOW, NOW).points.length;
    expect([pointsAfter(1, '8'), pointsAfter(6, '8'), pointsAfter(1, '7')]).toEqual([2, 1, 1]);
  });

  it('extends to a point that is later than now', () => {
    const extendedLine = chartLine(history([5, '7']), '24h', { at: NOW + 5_000, text: '8' }, NOW, NOW);
    expect(extendedLine.to).toBe(NOW + 5_000);
    expect(pointAt(extendedLine, extendedLine.to)?.value).toBe(8);
  });

  it('has the last known value at every moment', () => {
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 24 * 60 }), (ages, minutes) => {
        const sorted = ages.toSorted((one, other) => other - one);
        const hourlyLine = lineOfDay(...sorted.map((age) => [age, String(age)] as const));
        const moment = NOW - minutes * 60_000;
        const expected = sorted.findLast((age) => NOW - age * HOUR_MS <= moment);
        expect(pointAt(hourlyLine, moment)?.value).toBe(expected);
      }),
    );
  });
});

const toPoints = (values: readonly (number | null)[]): readonly ChartPoint[] =>
  values.map((value, at) => ({ at, value, text: value === null ? null : String(value) }));
const valueLists = fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { freq: 6 }), {
  minLength: 1,
  maxLength: 300,
});

describe('thinned points', () => {
  it('include every point if there are few', () => {
    const fewPoints = toPoints([1, null, 3]);
    expect(thinPoints(fewPoints, 0, 3, 10)).toBe(fewPoints);
  });

  it('keep the first, last, lowest and highest point and both ends of every gap, in order', () => {
    const gapEnds = (list: readonly ChartPoint[]) =>
      list.filter(({ value }, index) => index > 0 && (value === null) !== (list[index - 1]?.value === null));
    fc.assert(
      fc.property(valueLists, fc.integer({ min: 1, max: 20 }), (pointValues, columns) => {
        const points = toPoints(pointValues);
        const thinnedPoints = thinPoints(points, 0, points.length, columns);
        expect([thinnedPoints[0], thinnedPoints.at(-1)]).toEqual([points[0], points.at(-1)]);
        expect(extentOf(thinnedPoints)).toEqual(extentOf(points));
        expect(thinnedPoints).toEqual(points.filter((one) => thinnedPoints.includes(one)));
        expect(gapEnds(thinnedPoints)).toEqual(gapEnds(points));
      }),
    );
  });

  it('are at most four per column', () => {
    const points = toPoints(Array.from({ length: 10_000 }, (_, index) => Math.sin(index) * index));
    expect(thinPoints(points, 0, 10_000, 800).length).toBeLessThanOrEqual(4 * 800);
  });
});

const lineOf = (values: readonly (number | null)[], overrides: Partial<ChartLine> = {}): ChartLine => ({
  points: toPoints(values),
  from: 0,
  to: 10,
  knownUntil: 10,
  ...overrides,
});

describe('the path of a line', () => {
  it('keeps each value until the next, and the last until the end', () => {
    expect(stepPath(lineOf([0, 10, 5]), 0, 10)).toBe('M0 1000H1000V0H2000V500H10000');
  });

  it('can be closed into an area that reaches the bottom and has the same gaps', () => {
    expect(stepArea(lineOf([5, null, null, 10]), 10)).toBe('M0 500H1000V1000H0ZM3000 0H10000V1000H3000Z');
  });

  it('breaks at a gap', () => {
    const path = stepPath(lineOf([5, null, null, 5]), 0, 10);
    expect(path).toBe('M0 500H1000M3000 500H10000');
  });

  it('ends where the known part of the line ends', () => {
    expect(stepPath(lineOf([5], { knownUntil: 4 }), 0, 10)).toBe('M0 500H4000');
  });

  it('begins at the edge if it has an earlier value, or else at its first point', () => {
    expect(stepPath(lineOf([5], { from: 0.5 }), 0, 10)).toMatch(/^M0 500/);
    expect(stepPath(lineOf([5], { from: -10, to: 10 }), 0, 10)).toBe('M5000 500H10000');
  });

  it('is empty if nothing is known', () => {
    expect(stepPath(lineOf([null]), 0, 10)).toBe('');
    expect(stepPath(lineOf([]), 0, 10)).toBe('');
  });
});
