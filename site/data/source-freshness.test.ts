import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../data/model/value-state.ts';
import { figureState, heldAt, lastReadsOf, sourceOf } from './source-freshness.ts';

const silent = { chain: null, market: null };
const T = 1_000_000_000;

describe('the state of a figure', () => {
  it('goes from live to ageing to stale by itself while nothing is heard', () => {
    const { interval, limit } = FRESHNESS.chain;
    const at = (age: number) => figureState(T, 'chain', silent, T + age);
    expect([at(0), at(2 * interval), at(2 * interval + 1), at(limit), at(limit + 1)]).toEqual([
      'live',
      'live',
      'ageing',
      'ageing',
      'stale',
    ]);
  });

  it('stays live on a quiet chain whose source is still being read', () => {
    const reads = { chain: T + 600_000, market: null };
    expect(figureState(T, 'chain', reads, T + 601_000)).toBe('live');
  });

  it('is not kept young by the reads of another source', () => {
    const reads = { chain: T + 600_000, market: null };
    expect(figureState(T, 'market', reads, T + 601_000)).toBe('stale');
  });

  it('counts from the later of its own reading and its source’s', () => {
    expect(heldAt(T + 5, 'chain', { chain: T, market: null })).toBe(T + 5);
    expect(heldAt(T, 'chain', { chain: T + 5, market: null })).toBe(T + 5);
  });
});

describe('sources', () => {
  it('are the chain by the name of one and a market by any other', () => {
    expect(['solana', 'embedded-ledger', 'demo', 'jupiter', 'constructor'].map(sourceOf)).toEqual([
      'chain',
      'chain',
      'market',
      'market',
      'market',
    ]);
  });

  it('that were not read are absent, not read at zero', () => {
    expect(
      lastReadsOf({ now: '2026-01-01T00:00:00Z', chain: null, market: { asOf: '1970-01-01T00:00:01Z' } }),
    ).toEqual({
      chain: null,
      market: 1_000,
    });
  });
});
