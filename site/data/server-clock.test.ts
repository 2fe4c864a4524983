import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';
import { figureState } from './source-freshness.ts';

const START_MS = 1_700_000_000_000;

describe('the server’s clock', () => {
  it.each([20_000, -20_000, 600_000, -600_000])(
    'gives figures the right state if the visitor’s clock is off by %d ms',
    (aheadMs) => {
      const clock = createServerClock(() => START_MS + aheadMs);
      clock.sync(START_MS);
      const state = (asOf: number) =>
        figureState(
          { asOf, source: 'chain', calls: [] },
          { sources: { chain: asOf, market: null }, calls: {}, polls: {} },
          clock.now(),
        );
      expect([state(START_MS - 400), state(START_MS - 11_000), state(START_MS - 61_000)]).toEqual([
        'live',
        'ageing',
        'stale',
      ]);
    },
  );

  it('is the local time until the first valid sync', () => {
    const clock = createServerClock(() => START_MS);
    expect(clock.sync(Number.NaN)).toBe(false);
    expect(clock.now()).toBe(START_MS);
  });

  it('uses the least delayed message', () => {
    const clock = createServerClock(() => START_MS);
    clock.sync(START_MS - 300);
    expect(clock.sync(START_MS - 50)).toBe(true);
    expect(clock.sync(START_MS - 900)).toBe(false);
    expect(clock.sync(START_MS - 30_000)).toBe(false);
    expect(clock.sync(START_MS - 40)).toBe(true);
    expect(clock.now()).toBe(START_MS - 40);
  });

  it('corrects itself when the visitor’s clock is changed, forward or back', () => {
    let local = START_MS;
    const clock = createServerClock(() => local);
    clock.sync(START_MS);
    local = START_MS + 600_000;
    clock.sync(START_MS + 1_000);
    clock.sync(START_MS + 2_000);
    expect(clock.now()).toBe(START_MS + 2_000);
    local = START_MS - 600_000;
    clock.sync(START_MS + 3_000);
    expect(clock.now()).toBe(START_MS + 3_000);
  });
});
