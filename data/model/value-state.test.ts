import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AHEAD_TOLERANCE_MS, ageState, FRESHNESS, nextStateChange } from './value-state.ts';

const READ = 1_764_000_000_000;

describe.each(Object.entries(FRESHNESS))('a figure from the %s', (_, freshness) => {
  const ageingFrom = 2 * freshness.intervalMs + 1;
  const staleFrom = freshness.limitMs + 1;

  it.each([
    [0, 'live'],
    [ageingFrom - 1, 'live'],
    [ageingFrom, 'ageing'],
    [staleFrom - 1, 'ageing'],
    [staleFrom, 'stale'],
  ])('that is %i ms old is %s', (age, state) => {
    expect(ageState(READ, READ + age, freshness)).toBe(state);
  });

  it('is not live when it was read in the future, beyond the tolerance', () => {
    const ahead = (age: number) => ageState(READ, READ - age, freshness);
    expect([ahead(AHEAD_TOLERANCE_MS), ahead(AHEAD_TOLERANCE_MS + 1), ahead(3_600_000)]).toEqual([
      'live',
      'stale',
      'stale',
    ]);
    expect(nextStateChange(READ, READ - 3_600_000, freshness)).toBe(READ - AHEAD_TOLERANCE_MS);
  });
});

describe('the next change of state', () => {
  it('is exact to the millisecond, for any interval and limit, and null once a value is stale', () => {
    const span = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(span, span, fc.integer({ min: -20_000, max: 20_000 }), (intervalMs, limitMs, age) => {
        const freshness = { intervalMs, limitMs };
        const state = ageState(READ, READ + age, freshness);
        const change = nextStateChange(READ, READ + age, freshness);
        if (change === null) {
          expect(state).toBe('stale');
          return;
        }
        expect(change).toBeGreaterThan(READ + age);
        expect(ageState(READ, change - 1, freshness)).toBe(state);
        expect(ageState(READ, change, freshness)).not.toBe(state);
      }),
    );
  });
});
