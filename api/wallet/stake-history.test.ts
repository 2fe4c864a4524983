import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsInRange, StakeHistoryBuilder, type StakePoint } from './stake-history.ts';

interface Event {
  readonly kind: 'stake' | 'unstake' | 'deposit' | 'withdraw' | 'other';
  readonly delta: bigint;
  readonly slot: number;
  readonly historyTime: number | null;
}

/** A wallet's events, oldest first. Several events may share a slot or a time, and the oldest may have no time. */
const anyEvents = fc
  .array(
    fc.record({
      kind: fc.constantFrom('stake', 'unstake', 'deposit', 'withdraw', 'other'),
      amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      step: fc.nat({ max: 2 }),
    }),
    { maxLength: 30 },
  )
  .chain((moves) =>
    fc.nat({ max: 2 }).map((untimedCount) => {
      let slot = 10;
      return moves.map(({ kind, amount, step }, index): Event => {
        slot += step;
        const delta = kind === 'stake' || kind === 'deposit' ? amount : -amount;
        return { kind, delta, slot, historyTime: index < untimedCount ? null : slot * 1_000 };
      });
    }),
  );

/** The stake after the last event at each time, computed by adding up the events. */
function expectedPoints(events: readonly Event[]): readonly StakePoint[] {
  const isStake = ({ kind }: Event) => kind === 'stake' || kind === 'unstake';
  const stakeTimes = events.flatMap(({ historyTime, ...event }) =>
    historyTime !== null && isStake({ historyTime, ...event }) ? [historyTime] : [],
  );
  return [...new Set(stakeTimes)].map((at) => ({
    at,
    staked: events
      .filter((event) => isStake(event) && (event.historyTime ?? 0) <= at)
      .reduce((sum, { delta }) => sum + delta, 0n),
  }));
}

function walkPoints(events: readonly Event[], staked: bigint, slot: number) {
  const walk = new StakeHistoryBuilder(staked, slot);
  for (const event of events.toReversed()) walk.add(event);
  return walk.points();
}

describe('the stake of a wallet over time', () => {
  it('is what its events add up to, and ends at the current stake', () => {
    fc.assert(
      fc.property(anyEvents, fc.nat({ max: 80 }), (events, slot) => {
        const until = events.filter((event) => event.slot <= slot);
        const expected = expectedPoints(until);
        const staked = until.reduce(
          (sum, { kind, delta }) => (kind === 'stake' || kind === 'unstake' ? sum + delta : sum),
          0n,
        );
        expect(walkPoints(events, staked, slot)).toEqual(expected);
        if (expected.length > 0) expect(walkPoints(events, staked, slot)?.at(-1)?.staked).toBe(staked);
        // The events do not add up to this stake.
        expect(walkPoints(events, staked + 1n, slot)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it('starts a range with the stake at its beginning, and keeps the first and the last point when thinned', () => {
    const points = Array.from({ length: 50 }, (_, index) => ({ at: index * 10, staked: BigInt(index) }));
    fc.assert(
      fc.property(
        fc.integer({ min: -20, max: 520 }),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 3, max: 60 }),
        (from, length, maximum) => {
          const until = from + length;
          const inRange = points.filter(({ at }) => at > from && at < until);
          const pointBefore = points.findLast(({ at }) => at <= from && at < until);
          const expected = pointBefore ? [pointBefore, ...inRange] : inRange;
          const actualPoints = pointsInRange(points, from, until, maximum);
          expect(actualPoints.length).toBeLessThanOrEqual(maximum);
          if (expected.length <= maximum) expect(actualPoints).toEqual(expected);
          expect([actualPoints[0], actualPoints.at(-1)]).toEqual([expected[0], expected.at(-1)]);
          expect(expected).toEqual(expect.arrayContaining([...actualPoints]));
        },
      ),
      { numRuns: 60 },
    );
  });
});
