import { describe, expect, it } from 'vitest';
import { CHART_CHECKS } from './chart-checks.ts';
import { madeChain, poolEvent, verdictOn } from './testing/sample-portal.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1) / 1_000;
const at = (seconds: number) => new Date((START + seconds) * 1_000).toISOString();

const open = (wallet: string, entry: string) => ({
  address: entry,
  wallet,
  nonce: 0,
  amount: 10n,
  startsAt: 0n,
  unlocksAt: 0n,
});
/** Alice stakes ten in the first hour, Bob ten on the second day. On the third day Bob renews, and Alice stakes again. */
const chain = madeChain({
  accounts: {
    totalStake: 30n,
    openEntries: [open('alice', 'one'), open('bob', 'three'), open('alice', 'four')],
  },
  poolEvents: [
    { wallet: 'alice', stakeEntry: 'four', change: 10n, blockTime: START + 3 * DAY + 90 },
    { wallet: 'bob', stakeEntry: 'three', change: 10n, blockTime: START + 2 * DAY + 60 },
    {
      wallet: 'bob',
      stakeEntry: 'two',
      change: -10n,
      type: 'unstake' as const,
      blockTime: START + 2 * DAY + 60,
    },
    { wallet: 'bob', stakeEntry: 'two', change: 10n, blockTime: START + DAY + HOUR },
    { wallet: 'alice', stakeEntry: 'one', change: 10n, blockTime: START + 30 * 60 },
  ].map(poolEvent),
});

type Points = readonly (readonly [seconds: number, value: string])[];

const verdict = (series: string, points: Points, part = 'points before') => {
  const path = `/api/history?series=${series}&range=all`;
  const body = {
    asOf: at(30 * DAY),
    slot: 100,
    points: points.map(([seconds, value]) => ({ at: at(seconds), value })),
  };
  const check = CHART_CHECKS.find(({ figure }) => figure === `chart of ${series}, all: ${part}`);
  return verdictOn(check, { [path]: body }, chain);
};

describe('a chart compared with the chain', () => {
  it.each<[string, Points]>([
    [
      'staked',
      [
        [0, '10'],
        [DAY, '20'],
        [3 * DAY, '30'],
      ],
    ],
    [
      'stakers',
      [
        [0, '1'],
        [DAY, '2'],
        [3 * DAY, '2'],
      ],
    ],
    [
      'staked',
      [
        [-DAY, '0'],
        [0, '10'],
        [DAY + HOUR, '20'],
        [3 * DAY + 60, '30'],
      ],
    ],
  ])(
    'of %s agrees if each point holds the value at its end, and the last the present value',
    async (series, points) => {
      expect((await verdict(series, points)).kind).toBe('agree');
      expect((await verdict(series, points, 'last point')).kind).toBe('agree');
    },
  );

  it('differs if a point holds a value that did not occur in its interval, and shows both', async () => {
    expect(
      await verdict('staked', [
        [0, '10'],
        [DAY, '21'],
        [3 * DAY, '30'],
      ]),
    ).toEqual({
      kind: 'differs',
      reported: [`${at(0)} 10`, `${at(DAY)} 21`],
      expected: [`${at(0)} 10`, `${at(DAY)} 20`],
    });
    expect(
      (
        await verdict('stakers', [
          [0, '1'],
          [DAY, '3'],
          [3 * DAY, '2'],
        ])
      ).kind,
    ).toBe('differs');
    // Neither the value before nor the one after.
    expect(
      (
        await verdict('staked', [
          [2 * HOUR, '0'],
          [DAY, '20'],
          [3 * DAY, '30'],
        ])
      ).kind,
    ).toBe('differs');
    expect(
      (
        await verdict('staked', [
          [2 * HOUR, '20'],
          [DAY, '20'],
          [3 * DAY, '30'],
        ])
      ).kind,
    ).toBe('differs');
  });

  it('ignores values of less than a second', async () => {
    expect(
      (
        await verdict('stakers', [
          [2 * DAY, '1'],
          [3 * DAY, '2'],
        ])
      ).kind,
    ).toBe('differs');
  });

  it('differs if its last point is not the present value', async () => {
    expect(
      await verdict(
        'stakers',
        [
          [0, '1'],
          [DAY, '3'],
        ],
        'last point',
      ),
    ).toMatchObject({
      kind: 'differs',
      expected: ['2'],
    });
  });
});
