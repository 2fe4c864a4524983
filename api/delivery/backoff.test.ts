import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestWait, MOST_ATTEMPTS, retryWait } from './backoff.ts';

const attempts = fc.integer({ min: 1, max: 10_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait after a try', () => {
  it('is nothing to the longest of that try, in whole milliseconds', () => {
    fc.assert(
      fc.property(attempts, random, (tries, chance) => {
        const wait = retryWait(tries, chance);
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThan(longestWait(tries));
      }),
    );
  });

  it('has a longest that goes from 5 seconds to 6 hours, and never shrinks', () => {
    expect(longestWait(1)).toBe(5_000);
    expect(longestWait(MOST_ATTEMPTS - 1)).toBe(6 * 3_600_000);
    fc.assert(
      fc.property(attempts, (tries) => {
        expect(longestWait(tries + 1)).toBeGreaterThanOrEqual(longestWait(tries));
        expect(longestWait(tries)).toBeLessThanOrEqual(6 * 3_600_000);
      }),
    );
  });

  it('is spread over the whole of it', () => {
    fc.assert(
      fc.property(attempts, random, (tries, chance) => {
        expect(Math.abs(retryWait(tries, chance) - longestWait(tries) * chance)).toBeLessThan(1);
      }),
    );
  });

  it('bridges a peer that is out for half a day on average before a message is given up', () => {
    const waits = Array.from({ length: MOST_ATTEMPTS - 1 }, (_, index) => retryWait(index + 1, 0.5));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(11 * 3_600_000);
  });
});
