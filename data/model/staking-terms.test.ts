import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCK_DAYS, lockProgress, lockState, statedReward } from './staking-terms.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_764_000_000_000;

describe('lock countdown', () => {
  it.each([
    ['the whole lock', LOCK_DAYS * DAY_MS, [180, 0, 0]],
    ['a millisecond less than a day', DAY_MS - 1, [0, 23, 59]],
    ['an hour and a half', 1.5 * HOUR_MS, [0, 1, 30]],
    ['a millisecond', 1, [0, 0, 0]],
  ])('with %s left shows the full days, hours and minutes', (_, remainingMs, [days, hours, minutes]) => {
    expect(lockState(NOW + remainingMs, NOW)).toEqual({ kind: 'locked', days, hours, minutes });
  });

  it('ends exactly at the unlock', () => {
    expect(lockState(NOW, NOW)).toEqual({ kind: 'unlocked' });
    expect(lockState(NOW - 1, NOW)).toEqual({ kind: 'unlocked' });
  });

  it('adds up to the remaining time, to the minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * DAY_MS }), (remainingMs) => {
        const state = lockState(NOW + remainingMs, NOW);
        if (state.kind !== 'locked') throw new Error('A lock with time left is not locked.');
        expect(state.hours).toBeLessThan(24);
        expect(state.minutes).toBeLessThan(60);
        const shownMs = state.days * DAY_MS + state.hours * HOUR_MS + state.minutes * MINUTE_MS;
        expect(remainingMs - shownMs).toBeGreaterThanOrEqual(0);
        expect(remainingMs - shownMs).toBeLessThan(MINUTE_MS);
      }),
    );
  });
});

describe('lock progress', () => {
  const end = NOW + LOCK_DAYS * DAY_MS;

  it.each([
    ['before the start', 0, NOW - DAY_MS],
    ['at the start', 0, NOW],
    ['half-way', 50, NOW + 90 * DAY_MS],
    ['at the end', 100, end],
    ['after the end', 100, end + DAY_MS],
  ])('%s is %i%%', (_, percent, now) => {
    expect(lockProgress(NOW, end, now)).toBe(percent);
  });

  it('is complete for a lock without a duration', () => {
    expect(lockProgress(NOW, NOW, NOW - DAY_MS)).toBe(100);
    expect(lockProgress(NOW, NOW - 1, NOW)).toBe(100);
  });

  it('stays within 0 and 100 and never decreases', () => {
    const moment = fc.integer({ min: NOW - 400 * DAY_MS, max: NOW + 400 * DAY_MS });
    fc.assert(
      fc.property(moment, moment, moment, fc.nat({ max: DAY_MS }), (start, finish, now, elapsedMs) => {
        const progress = lockProgress(start, finish, now);
        expect(progress).toBeGreaterThanOrEqual(0);
        expect(lockProgress(start, finish, now + elapsedMs)).toBeGreaterThanOrEqual(progress);
        expect(lockProgress(start, finish, now + elapsedMs)).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('the stated reward of one lock', () => {
  it('is stake × yield × lock ÷ 365, rounded down', () => {
    expect(statedReward(1_500_000_000_000n)).toBe(656_136_986_301n);
    expect(statedReward(5_000_000n)).toBe(2_187_123n);
    expect(statedReward(0n)).toBe(0n);
  });

  it('is not compounded: twice the stake earns twice as much, to within a base unit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (staked) => {
        const difference = statedReward(staked * 2n) - statedReward(staked) * 2n;
        expect(difference === 0n || difference === 1n).toBe(true);
      }),
    );
  });
});
