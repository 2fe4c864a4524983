import { describe, expect, it } from 'vitest';
import { CHART_CHECKS } from './chart-checks.ts';
import { poolEvent, sampleChain, sampleOpenEntry, verdictOn } from './testing/sample-portal.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const START = Date.UTC(2026, 0, 1) / 1_000;
const at = (seconds: number) => new Date((START + seconds) * 1_000).toISOString();

const openEntryOf = (wallet: string, address: string) => sampleOpenEntry({ address, wallet, amount: 10n });
const unstakeFields = { change: -10n, type: 'unstake' } as const;
/** Alice stakes in the first hour, Bob on the second day. Bob renews on the third day. Alice stakes again on the fourth. */
const chain = sampleChain({
  accounts: {
    totalStake: 30n,
    openEntries: [openEntryOf('alice', 'one'), openEntryOf('bob', 'three'), openEntryOf('alice', 'four')],
  },
  poolEvents: [
    { wallet: 'alice', stakeEntry: 'four', change: 10n, blockTime: START + 3 * DAY_SECONDS + 90 },
    { wallet: 'bob', stakeEntry: 'three', change: 10n, blockTime: START + 2 * DAY_SECONDS + 60 },
    { ...unstakeFields, wallet: 'bob', stakeEntry: 'two', blockTime: START + 2 * DAY_SECONDS + 60 },
    { wallet: 'bob', stakeEntry: 'two', change: 10n, blockTime: START + DAY_SECONDS + HOUR_SECONDS },
    { wallet: 'alice', stakeEntry: 'one', change: 10n, blockTime: START + 30 * 60 },
  ].map(poolEvent),
});

type Points = readonly (readonly [seconds: number, value: string])[];

const verdict = (series: string, points: Points, part = 'earlier points') => {
  const path = `/api/history?series=${series}&range=all`;
  const body = {
    asOf: at(30 * DAY_SECONDS),
    slot: 100,
    points: points.map(([seconds, value]) => ({ at: at(seconds), value })),
  };
  const check = CHART_CHECKS.find(({ figure }) => figure === `chart of ${series}, all: ${part}`);
  return verdictOn(check, { [path]: body }, chain);
};

/** @param seconds how long after `START` the point's interval begins */
const point = (seconds: number, value: string) => [seconds, value] as const;

describe('a chart', () => {
  it.each<[string, Points]>([
    ['staked', [point(0, '10'), point(DAY_SECONDS, '20'), point(3 * DAY_SECONDS, '30')]],
    ['stakers', [point(0, '1'), point(DAY_SECONDS, '2'), point(3 * DAY_SECONDS, '2')]],
    [
      'staked',
      [
        point(-DAY_SECONDS, '0'),
        point(0, '10'),
        point(DAY_SECONDS + HOUR_SECONDS, '20'),
        point(3 * DAY_SECONDS + 60, '30'),
      ],
    ],
  ])(
    'of %s agrees if each point has the value at the end of its interval, and the last point has the current value',
    async (series, points) => {
      expect((await verdict(series, points)).kind).toBe('agree');
      expect((await verdict(series, points, 'last point')).kind).toBe('agree');
    },
  );

  it('differs, and shows both values, if a point has a value that did not occur in its interval', async () => {
    expect(
      await verdict('staked', [point(0, '10'), point(DAY_SECONDS, '21'), point(3 * DAY_SECONDS, '30')]),
    ).toEqual({
      kind: 'differs',
      reported: [`${at(0)} 10`, `${at(DAY_SECONDS)} 21`],
      expected: [`${at(0)} 10`, `${at(DAY_SECONDS)} 20`],
    });
  });

  it.each<[string, string, Points]>([
    [
      'a value that never occurred',
      'stakers',
      [point(0, '1'), point(DAY_SECONDS, '3'), point(3 * DAY_SECONDS, '2')],
    ],
    [
      'the value before its interval',
      'staked',
      [point(2 * HOUR_SECONDS, '0'), point(DAY_SECONDS, '20'), point(3 * DAY_SECONDS, '30')],
    ],
    [
      'the value after its interval',
      'staked',
      [point(2 * HOUR_SECONDS, '20'), point(DAY_SECONDS, '20'), point(3 * DAY_SECONDS, '30')],
    ],
    [
      'a value that lasted less than a second',
      'stakers',
      [point(2 * DAY_SECONDS, '1'), point(3 * DAY_SECONDS, '2')],
    ],
  ])('differs if a point has %s', async (_what, series, points) => {
    expect((await verdict(series, points)).kind).toBe('differs');
  });

  it('differs if its last point is not the current value', async () => {
    const found = await verdict('stakers', [point(0, '1'), point(DAY_SECONDS, '3')], 'last point');
    expect(found).toMatchObject({ kind: 'differs', expected: ['2'] });
  });
});
