import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../../data/model/value-state.ts';
import { stateUnread } from './official-addresses.ts';

const { interval, limit } = FRESHNESS.chain;

describe('an amount that could not be read again', () => {
  it('is called live no longer once it is older than two readings, and stale beyond its limit', () => {
    const state = (age: number) => stateUnread('live', 1_000, 1_000 + age);
    expect([state(0), state(2 * interval + 1), state(limit + 1)]).toEqual(['live', 'ageing', 'stale']);
  });

  it('is never called younger than it was when it was read', () => {
    expect(stateUnread('stale', 1_000, 1_001)).toBe('stale');
    expect(stateUnread('ageing', 1_000, 1_001)).toBe('ageing');
  });
});
