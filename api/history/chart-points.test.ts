import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryPoint } from '../../data/store/ports.ts';
import { FakeIndex } from '../testing/fake-index.ts';
import { chartPoints, POINTS_AT_MOST, thinned } from './chart-points.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A full day, so that intervals are easy to tell. */
const NOW = 20_000 * DAY;

/** So many points, one each interval, the last one beginning at `until`. */
function points(count: number, interval: number, until: number): readonly HistoryPoint[] {
  return Array.from({ length: count }, (_, index) => ({
    at: until - (count - 1 - index) * interval,
    value: String(index + 1),
  }));
}

function indexOf(series: Partial<Record<'minute' | 'hour' | 'day', readonly HistoryPoint[]>>): FakeIndex {
  const index = new FakeIndex();
  for (const resolution of ['minute', 'hour', 'day'] as const) {
    index.points.set(`vault/${resolution}`, series[resolution] ?? []);
  }
  return index;
}

const chart = (index: FakeIndex, range: '24h' | '7d' | '30d' | 'all') =>
  chartPoints(index, 'vault', range, NOW);

describe('the points of a chart', () => {
  it.each([
    ['24h', 'minute', MINUTE],
    ['7d', 'hour', HOUR],
    ['30d', 'hour', HOUR],
    ['all', 'day', DAY],
  ] as const)('of %s are one a %s', async (range, resolution, interval) => {
    const stored = points(30, interval, NOW - interval);
    const told = await chart(indexOf({ [resolution]: stored }), range);
    expect(told).toEqual({ resolution, points: stored });
  });

  it('begin with the last value before the range', async () => {
    const stored = [{ at: NOW - 3 * DAY, value: '1' }, ...points(30, MINUTE, NOW)];
    expect((await chart(indexOf({ minute: stored }), '24h')).points[0]).toEqual(stored[0]);
  });

  it('are coarser ones before the finer ones begin, as of the time before the portal ran', async () => {
    const day = [{ at: NOW - 5 * DAY, value: '1' }, ...points(5, DAY, NOW)];
    const hour = points(12, HOUR, NOW - 2 * HOUR);
    const minute = points(30, MINUTE, NOW);
    const told = await chart(indexOf({ day, hour, minute }), '24h');
    expect(told.resolution).toBe('minute');
    const shown = hour.filter(({ at }) => at + HOUR <= (minute[0]?.at ?? 0));
    expect(shown).toHaveLength(12);
    expect(told.points.slice(-42)).toEqual([...shown, ...minute]);
    expect(told.points[0]?.at).toBeLessThanOrEqual(NOW - DAY);
  });

  it('hold no coarse value from among the finer ones that follow it', async () => {
    const minute = points(30, MINUTE, NOW + 50 * MINUTE);
    const told = await chart(indexOf({ hour: [{ at: NOW, value: 'later' }], minute }), '24h');
    expect(told.points).toEqual(minute);
  });

  it('are finer ones while those of the range are few', async () => {
    const day = points(3, DAY, NOW - DAY);
    const hour = points(20, HOUR, NOW - HOUR);
    const told = await chart(indexOf({ day, hour }), 'all');
    expect(told).toEqual({ resolution: 'hour', points: [...day.slice(0, 2), ...hour] });
    const few = await chart(indexOf({ day, hour: hour.slice(-1) }), 'all');
    expect(few).toEqual({ resolution: 'day', points: day });
  });

  it('are none where nothing is stored', async () => {
    expect((await chart(indexOf({}), '7d')).points).toEqual([]);
  });

  it('are never more than a chart can show, the newest one kept', async () => {
    const told = await chart(indexOf({ day: points(5_000, DAY, NOW) }), 'all');
    expect(told.points.length).toBeLessThanOrEqual(POINTS_AT_MOST);
    expect(told.points.at(-1)).toEqual({ at: NOW, value: '5000' });
    fc.assert(
      fc.property(fc.nat(400), fc.integer({ min: 1, max: 50 }), (count, atMost) => {
        const all = points(count, MINUTE, NOW);
        const some = thinned(all, atMost);
        expect(some.length).toBeLessThanOrEqual(atMost);
        expect(some.at(-1)).toEqual(all.at(-1));
        if (count <= atMost) expect(some).toEqual(all);
      }),
    );
  });

  it('come in order and end with the newest value, whatever is stored at each resolution', async () => {
    const stored = (interval: number, reach: number) =>
      fc
        .uniqueArray(fc.nat(reach), { maxLength: 40 })
        .map((ages) =>
          ages
            .toSorted((one, other) => other - one)
            .map((age) => ({ at: NOW - age * interval, value: String(age) })),
        );
    await fc.assert(
      fc.asyncProperty(
        stored(MINUTE, 1_500),
        stored(HOUR, 800),
        stored(DAY, 60),
        fc.constantFrom('24h', '7d', '30d', 'all'),
        async (minute, hour, day, range) => {
          const told = await chart(indexOf({ minute, hour, day }), range);
          for (const [index, { at }] of told.points.entries()) {
            expect(at).toBeGreaterThan(told.points[index - 1]?.at ?? Number.NEGATIVE_INFINITY);
          }
          const newest = { minute, hour, day }[told.resolution].at(-1);
          if (newest) expect(told.points.at(-1)).toEqual(newest);
        },
      ),
    );
  });
});
