import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chartLine, pointAt } from './chart-line.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 20_000 * DAY;
type Told = readonly [hoursAgo: number, value: string];
const told = (...points: readonly Told[]) =>
  points.map(([hoursAgo, value]) => ({ at: new Date(NOW - hoursAgo * HOUR).toISOString(), value }));
const line = (...points: readonly Told[]) => chartLine(told(...points), '24h', null, NOW, NOW);

describe('the line of a chart', () => {
  it('spans its range up to the present, and all there is where it is asked for all', () => {
    expect(line([2, '1'])).toMatchObject({ from: NOW - DAY, to: NOW });
    const all = chartLine(told([100, '1'], [2, '2']), 'all', null, NOW, NOW);
    expect(all).toMatchObject({ from: NOW - 100 * HOUR, to: NOW });
    expect(chartLine(told([0, '1']), 'all', null, NOW, NOW).from).toBeLessThan(NOW);
  });

  it('begins with the value that stood when the range began', () => {
    const { points } = line([90, '1'], [30, '2'], [3, '3']);
    expect(points.map(({ text }) => text)).toEqual(['2', '3']);
    expect(pointAt(line([90, '1'], [30, '2'], [3, '3']), NOW - DAY)?.text).toBe('2');
  });

  it('has a gap before its first point, not zero', () => {
    expect(pointAt(line([3, '7']), NOW - 4 * HOUR)).toBeNull();
    expect(pointAt(line([3, '7']), NOW - 3 * HOUR)?.value).toBe(7);
  });

  it('has a gap from where its newest value is no longer known to hold', () => {
    const cut = chartLine(told([5, '7']), '24h', null, NOW - HOUR, NOW);
    expect(pointAt(cut, NOW - HOUR)?.value).toBe(7);
    expect(pointAt(cut, NOW - HOUR + 1)).toBeNull();
  });

  it.each(['', 'NaN', '1e5', '0x1', ' 1', '1.'])('has a gap where it is told %j, not zero', (text) => {
    const broken = line([5, '7'], [3, text], [2, '8']);
    expect(pointAt(broken, NOW - 3 * HOUR)).toBeNull();
    expect(broken.points.map(({ value }) => value)).toEqual([7, null, 8]);
  });

  it('keeps the exact text beside the number that it is drawn by', () => {
    const [point] = line([5, '99998436.010000000000000001']).points;
    expect(point).toMatchObject({ text: '99998436.010000000000000001', value: 99_998_436.01 });
  });

  it('goes on with a later value, and with none that is older or the same', () => {
    const later = (hoursAgo: number, text: string) =>
      chartLine(told([5, '7']), '24h', { at: NOW - hoursAgo * HOUR, text }, NOW, NOW).points.length;
    expect([later(1, '8'), later(6, '8'), later(1, '7')]).toEqual([2, 1, 1]);
  });

  it('reaches to a point that is younger than the moment it is drawn at', () => {
    const ahead = chartLine(told([5, '7']), '24h', { at: NOW + 5_000, text: '8' }, NOW, NOW);
    expect(ahead.to).toBe(NOW + 5_000);
    expect(pointAt(ahead, ahead.to)?.value).toBe(8);
  });

  it('tells at every moment the last value at or before it', () => {
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 24 * 60 }), (ages, minutes) => {
        const sorted = ages.toSorted((one, other) => other - one);
        const drawn = line(...sorted.map((age) => [age, String(age)] as const));
        const moment = NOW - minutes * 60_000;
        const expected = sorted.findLast((age) => NOW - age * HOUR <= moment);
        expect(pointAt(drawn, moment)?.value).toBe(expected);
      }),
    );
  });
});
