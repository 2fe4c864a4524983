import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../../data/model/value-state.ts';
import { stateAfterFailure } from './official-addresses.ts';

const { interval, limit } = FRESHNESS.chain;

describe('an amount after a failed read', () => {
  it('is ageing after two intervals and stale after its limit', () => {
    const state = (age: number) => stateAfterFailure('live', 1_000, 1_000 + age);
    expect([state(0), state(2 * interval + 1), state(limit + 1)]).toEqual(['live', 'ageing', 'stale']);
  });

  it('never becomes younger than at its last read', () => {
    expect(stateAfterFailure('stale', 1_000, 1_001)).toBe('stale');
    expect(stateAfterFailure('ageing', 1_000, 1_001)).toBe('ageing');
  });
});
