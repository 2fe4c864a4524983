import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelPause, MAX_ATTEMPTS, maxWaitMs, retryWaitMs } from './backoff.ts';

const NOW = 1_000_000;
const attempts = fc.integer({ min: 1, max: 10_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait after an attempt', () => {
  it('is a whole number of milliseconds, spread evenly below the maximum wait for that attempt', () => {
    fc.assert(
      fc.property(attempts, random, (attempt, chance) => {
        const wait = retryWaitMs(attempt, chance);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThan(maxWaitMs(attempt));
        expect(Math.abs(wait - maxWaitMs(attempt) * chance)).toBeLessThan(1);
      }),
    );
  });

  it('has a maximum that grows from 5 seconds to 6 hours', () => {
    expect(maxWaitMs(1)).toBe(5_000);
    expect(maxWaitMs(MAX_ATTEMPTS - 1)).toBe(6 * 3_600_000);
    fc.assert(
      fc.property(attempts, (attempt) => {
        expect(maxWaitMs(attempt + 1)).toBeGreaterThanOrEqual(maxWaitMs(attempt));
        expect(maxWaitMs(attempt)).toBeLessThanOrEqual(6 * 3_600_000);
      }),
    );
  });

  it('adds up to more than eleven hours over all attempts, on average', () => {
    const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryWaitMs(index + 1, 0.5));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(11 * 3_600_000);
  });
});

describe('a paused channel', () => {
  it('sends nothing during the pause, then one message, and the others once that one is sent', () => {
    const pause = new ChannelPause(() => 0);
    expect(pause.capacity(NOW, 4)).toBe(4);
    pause.pause('unreachable', NOW);
    expect(pause.reason).toBe('unreachable');
    expect(pause.capacity(pause.until - 1, 4)).toBe(0);
    expect(pause.capacity(pause.until, 4)).toBe(1);
    expect(pause.capacity(pause.until, 0)).toBe(0);
    pause.end();
    expect([pause.reason, pause.until, pause.capacity(NOW, 4)]).toEqual([null, 0, 4]);
  });

  it('waits seconds after the first failure and minutes after many, and starts over after a success', () => {
    const pause = new ChannelPause(() => 0.5);
    let now = NOW;
    const waits: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      pause.pause('unreachable', now);
      waits.push(pause.until - now);
      now = pause.until;
    }
    expect(waits[0]).toBeLessThanOrEqual(5_000);
    expect(waits.toSorted((one, other) => one - other)).toEqual(waits);
    expect(waits.at(-1)).toBe(225_000);
    pause.end();
    pause.pause('unreachable', now);
    expect(pause.until - now).toBe(waits[0]);
  });

  it('counts one failure when several messages in flight fail together', () => {
    const pause = new ChannelPause(() => 0);
    for (let count = 0; count < 4; count += 1) pause.pause('unreachable', NOW);
    expect(pause.until - NOW).toBe(2_500);
  });

  it('waits ten minutes if the peer rejects the portal, or the longest requested wait if the peer is busy', () => {
    const refused = new ChannelPause(() => 0);
    refused.pause('refused', NOW);
    expect(refused.until).toBe(NOW + 600_000);
    const wait = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(wait, { minLength: 1 }), (waits) => {
        const pause = new ChannelPause(() => 0);
        for (const one of waits) pause.pause('busy', NOW, one);
        expect(pause.until).toBe(NOW + Math.max(...waits));
      }),
    );
  });
});
