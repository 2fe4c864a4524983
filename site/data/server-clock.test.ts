import { describe, expect, it, vi } from 'vitest';
import { createServerClock } from './server-clock.ts';

const T = 1_700_000_000_000;

describe('the server’s clock', () => {
  it('follows this machine while reports are plausible, without asking', async () => {
    const askServer = vi.fn(async () => T);
    const clock = createServerClock({ localNow: () => T, askServer });
    await clock.check(T - 30_000);
    expect(clock.now()).toBe(T);
    expect(askServer).not.toHaveBeenCalled();
  });

  it('corrects a machine that is ten minutes ahead, so that young figures are not called stale', async () => {
    const clock = createServerClock({ localNow: () => T + 600_000, askServer: async () => T });
    await clock.check(T);
    expect(clock.now()).toBe(T);
  });

  it('corrects a machine that is behind', async () => {
    const clock = createServerClock({ localNow: () => T - 600_000, askServer: async () => T });
    await clock.check(T);
    expect(clock.now()).toBe(T);
  });

  it('believes this machine where the figures are really old, and asks only once', async () => {
    const askServer = vi.fn(async () => T + 800);
    const clock = createServerClock({ localNow: () => T, askServer });
    await clock.check(T - 3_600_000);
    await clock.check(T - 3_600_000);
    expect(clock.now()).toBe(T);
    expect(askServer).toHaveBeenCalledTimes(1);
  });

  it('believes this machine where the server’s time cannot be had', async () => {
    const clock = createServerClock({ localNow: () => T, askServer: async () => null });
    await clock.check(T - 3_600_000);
    expect(clock.now()).toBe(T);
  });
});
