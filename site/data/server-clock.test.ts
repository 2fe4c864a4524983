import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';
import { figureState } from './source-freshness.ts';

const T = 1_700_000_000_000;

describe('the server’s clock', () => {
  it.each([20_000, -20_000, 600_000, -600_000])(
    'gives figures the right state if the visitor’s clock is %d ms ahead',
    (ahead) => {
      const clock = createServerClock(() => T + ahead);
      clock.sync(T);
      const state = (asOf: number) =>
        figureState(
          { asOf, source: 'chain', calls: [] },
          { sources: { chain: asOf, market: null }, calls: {}, polls: {} },
          clock.now(),
        );
      expect([state(T - 400), state(T - 11_000), state(T - 61_000)]).toEqual(['live', 'ageing', 'stale']);
    },
  );

  it('is the local time until the first valid sync', () => {
    const clock = createServerClock(() => T);
    expect(clock.sync(Number.NaN)).toBe(false);
    expect(clock.now()).toBe(T);
  });

  it('uses the least delayed message', () => {
    const clock = createServerClock(() => T);
    clock.sync(T - 300);
    expect(clock.sync(T - 50)).toBe(true);
    expect(clock.sync(T - 900)).toBe(false);
    expect(clock.sync(T - 30_000)).toBe(false);
    expect(clock.sync(T - 40)).toBe(true);
    expect(clock.now()).toBe(T - 40);
  });

  it('corrects itself when the visitor’s clock is changed, forward or back', () => {
    let local = T;
    const clock = createServerClock(() => local);
    clock.sync(T);
    local = T + 600_000;
    clock.sync(T + 1_000);
    clock.sync(T + 2_000);
    expect(clock.now()).toBe(T + 2_000);
    local = T - 600_000;
    clock.sync(T + 3_000);
    expect(clock.now()).toBe(T + 3_000);
  });
});
