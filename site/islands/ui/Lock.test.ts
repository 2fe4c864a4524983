import { expect, it } from 'vitest';
import { lockText, wholeProgress } from './Lock.tsx';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

it('the time left on a lock has days, hours and minutes until the end, then is Unlocked', () => {
  expect(lockText(180 * DAY, 0)).toBe('180 d 0 h 0 min');
  expect(lockText(180 * DAY, 1)).toBe('179 d 23 h 59 min');
  expect(lockText(DAY, DAY - 61 * MINUTE)).toBe('0 d 1 h 1 min');
  expect(lockText(DAY, DAY - 1)).toBe('0 d 0 h 0 min');
  expect(lockText(DAY, DAY)).toBe('Unlocked');
});

it('the progress of a lock is 100 only once the lock has ended, and never outside 0 to 100', () => {
  expect(wholeProgress(0, 180 * DAY, 180 * DAY - 1)).toBe(99);
  expect(wholeProgress(0, 180 * DAY, 180 * DAY)).toBe(100);
  expect(wholeProgress(DAY, 2 * DAY, 0)).toBe(0);
  expect(wholeProgress(0, DAY, 9 * DAY)).toBe(100);
});
