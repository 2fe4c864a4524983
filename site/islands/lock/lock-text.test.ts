import { describe, expect, it } from 'vitest';
import { lockText, wholeProgress } from './lock-text.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

describe('what is left of a lock', () => {
  it('is told in days, hours and minutes until its end, then it is unlocked', () => {
    expect(lockText(180 * DAY, 0)).toBe('180 d 0 h 0 min');
    expect(lockText(180 * DAY, 1)).toBe('179 d 23 h 59 min');
    expect(lockText(DAY, DAY - 61 * MINUTE)).toBe('0 d 1 h 1 min');
    expect(lockText(DAY, DAY - 1)).toBe('0 d 0 h 0 min');
    expect(lockText(DAY, DAY)).toBe('Unlocked');
  });
});

describe('how much of a lock has passed', () => {
  it('is full only once it is over, and never outside 0 to 100', () => {
    expect(wholeProgress(0, 180 * DAY, 180 * DAY - 1)).toBe(99);
    expect(wholeProgress(0, 180 * DAY, 180 * DAY)).toBe(100);
    expect(wholeProgress(DAY, 2 * DAY, 0)).toBe(0);
    expect(wholeProgress(0, DAY, 9 * DAY)).toBe(100);
  });
});
