import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AHEAD_TOLERANCE_MS, ageState, FRESHNESS, nextStateChange } from './value-state.ts';

const READ_AT = 1_764_000_000_000;

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
    expect(ageState(READ_AT, READ_AT + age, freshness)).toBe(state);
  });

  it('is stale if its reading time is further in the future than the tolerance', () => {
    const stateOfFutureRead = (age: number) => ageState(READ_AT, READ_AT - age, freshness);
    expect([
      stateOfFutureRead(AHEAD_TOLERANCE_MS),
      stateOfFutureRead(AHEAD_TOLERANCE_MS + 1),
      stateOfFutureRead(3_600_000),
    ]).toEqual(['live', 'stale', 'stale']);
    expect(nextStateChange(READ_AT, READ_AT - 3_600_000, freshness)).toBe(READ_AT - AHEAD_TOLERANCE_MS);
  });
});

describe('the next change of state', () => {
  it('is exact to the millisecond, for any interval and limit, and null once a value is stale', () => {
    const span = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(span, span, fc.integer({ min: -20_000, max: 20_000 }), (intervalMs, limitMs, age) => {
        const freshness = { intervalMs, limitMs };
        const state = ageState(READ_AT, READ_AT + age, freshness);
        const changeAt = nextStateChange(READ_AT, READ_AT + age, freshness);
        if (changeAt === null) {
          expect(state).toBe('stale');
          return;
        }
        expect(changeAt).toBeGreaterThan(READ_AT + age);
        expect(ageState(READ_AT, changeAt - 1, freshness)).toBe(state);
        expect(ageState(READ_AT, changeAt, freshness)).not.toBe(state);
      }),
    );
  });
});
