import { expect, it } from 'vitest';
import { lockPercent, lockText } from './Lock.tsx';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

it('the time left on a lock is in days, hours and minutes, and “Unlocked” once the lock has ended', () => {
  expect(lockText(180 * DAY_MS, 0)).toBe('180 d 0 h 0 min');
  expect(lockText(180 * DAY_MS, 1)).toBe('179 d 23 h 59 min');
  expect(lockText(DAY_MS, DAY_MS - 61 * MINUTE_MS)).toBe('0 d 1 h 1 min');
  expect(lockText(DAY_MS, DAY_MS - 1)).toBe('0 d 0 h 0 min');
  expect(lockText(DAY_MS, DAY_MS)).toBe('Unlocked');
});

it('the progress of a lock stays between 0 and 100, and is 100 only once the lock has ended', () => {
  expect(lockPercent(0, 180 * DAY_MS, 180 * DAY_MS - 1)).toBe(99);
  expect(lockPercent(0, 180 * DAY_MS, 180 * DAY_MS)).toBe(100);
  expect(lockPercent(DAY_MS, 2 * DAY_MS, 0)).toBe(0);
  expect(lockPercent(0, DAY_MS, 9 * DAY_MS)).toBe(100);
});
