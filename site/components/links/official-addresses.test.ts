import { describe, expect, it } from 'vitest';
import { POLL_INTERVAL_MS, stateAfterFailure } from './official-addresses.ts';

describe('an amount after a failed read', () => {
  it('is ageing after two read intervals and stale after three', () => {
    const state = (ageMs: number) => stateAfterFailure('live', 1_000, 1_000 + ageMs);
    expect([
      state(2 * POLL_INTERVAL_MS),
      state(2 * POLL_INTERVAL_MS + 1),
      state(3 * POLL_INTERVAL_MS + 1),
    ]).toEqual(['live', 'ageing', 'stale']);
  });

  it('never becomes fresher than at its last read', () => {
    expect(stateAfterFailure('stale', 1_000, 1_001)).toBe('stale');
    expect(stateAfterFailure('ageing', 1_000, 1_001)).toBe('ageing');
  });
});
