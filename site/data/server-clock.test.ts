import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';
import { figureState } from './source-freshness.ts';

const T = 1_700_000_000_000;

describe('the server’s clock', () => {
  it.each([
    ['20 s ahead', 20_000],
    ['20 s behind', -20_000],
    ['55 s ahead', 55_000],
    ['55 s behind', -55_000],
    ['10 min behind', -600_000],
    ['10 min ahead', 600_000],
  ])('calls a young figure live and an old one old for a visitor whose clock is %s', (_case, wrong) => {
    const clock = createServerClock({ localNow: () => T + wrong });
    clock.hear(T);
    const state = (asOf: number) =>
      figureState(
        { asOf, source: 'chain', calls: [] },
        { sources: { chain: asOf, market: null }, calls: {} },
        clock.now(),
      );
    expect([state(T - 400), state(T - 11_000), state(T - 61_000)]).toEqual(['live', 'ageing', 'stale']);
  });

  it('is this machine’s own until the server was heard, and for what is no time', () => {
    const clock = createServerClock({ localNow: () => T });
    expect(clock.hear(Number.NaN)).toBe(false);
    expect(clock.now()).toBe(T);
  });

  it('keeps to the least delayed message, so that a late one makes no figure younger', () => {
    const clock = createServerClock({ localNow: () => T });
    clock.hear(T - 300);
    expect(clock.hear(T - 50)).toBe(true);
    expect(clock.hear(T - 900)).toBe(false);
    expect(clock.hear(T - 30_000)).toBe(false);
    expect(clock.hear(T - 40)).toBe(true);
    expect(clock.now()).toBe(T - 40);
  });

  it('follows when this machine’s clock is set, forward as well as back', () => {
    let local = T;
    const clock = createServerClock({ localNow: () => local });
    clock.hear(T);
    local = T + 600_000;
    clock.hear(T + 1_000);
    clock.hear(T + 2_000);
    expect(clock.now()).toBe(T + 2_000);
    local = T - 600_000;
    clock.hear(T + 3_000);
    expect(clock.now()).toBe(T + 3_000);
  });
});
