import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../data/model/value-state.ts';
import type { FigurePath } from './figure-strategies.ts';
import { type FigureRead, figureState, heldAt, lastReadsOf, sourceOf } from './source-freshness.ts';

const silent = { sources: { chain: null, market: null }, calls: {} };
const chainRead = (asOf: number, ...calls: FigurePath[]): FigureRead => ({ asOf, source: 'chain', calls });
const T = 1_000_000_000;

describe('the state of a figure', () => {
  it('goes from live to ageing to stale by itself while nothing is heard', () => {
    const { interval, limit } = FRESHNESS.chain;
    const at = (age: number) => figureState(chainRead(T), silent, T + age);
    expect([at(0), at(2 * interval), at(2 * interval + 1), at(limit), at(limit + 1)]).toEqual([
      'live',
      'live',
      'ageing',
      'ageing',
      'stale',
    ]);
  });

  it('stays live on a quiet chain whose source is still being read', () => {
    const heard = { sources: { chain: T + 600_000, market: null }, calls: {} };
    expect(figureState(chainRead(T), heard, T + 601_000)).toBe('live');
  });

  it('is kept young by nothing where its own last read failed', () => {
    const heard = {
      sources: { chain: T + 600_000, market: null },
      calls: { '/api/staking/total': T + 600_000 },
    };
    const read = { ...chainRead(T, '/api/staking/total'), isBehind: true };
    expect(figureState(read, heard, T + 601_000)).toBe('stale');
  });

  it('is not kept young by the reads of another source', () => {
    const heard = { sources: { chain: T + 600_000, market: null }, calls: {} };
    expect(figureState({ asOf: T, source: 'market', calls: [] }, heard, T + 601_000)).toBe('stale');
  });

  it('counts from the later of its own reading and its source’s', () => {
    const heard = (chain: number) => ({ sources: { chain, market: null }, calls: {} });
    expect(heldAt(chainRead(T + 5), heard(T))).toBe(T + 5);
    expect(heldAt(chainRead(T), heard(T + 5))).toBe(T + 5);
  });

  it('is kept young by a later answer of its own call, and of no other', () => {
    const heard = { ...silent, calls: { '/api/staking/total': T + 9 } };
    expect(heldAt(chainRead(T, '/api/staking/total'), heard)).toBe(T + 9);
    expect(heldAt(chainRead(T, '/api/vault/metrics'), heard)).toBe(T);
    expect(heldAt(chainRead(T), heard)).toBe(T);
  });

  it('that is read at a pace of its own ages by that, whatever is heard of its source and calls', () => {
    const pace = { interval: 60_000, limit: 360_000 };
    const read: FigureRead = { ...chainRead(T, '/api/staking/total'), pace };
    const heard = { sources: { chain: T + 999_999, market: null }, calls: { '/api/staking/total': T + 9 } };
    expect(heldAt(read, heard)).toBe(T);
    const at = (age: number) => figureState(read, heard, T + age);
    expect([at(120_000), at(120_001), at(360_001)]).toEqual(['live', 'ageing', 'stale']);
  });

  it('of two calls is as old as the older of their answers', () => {
    const read = chainRead(T, '/api/staking/total', '/api/vault/metrics');
    expect(heldAt(read, { ...silent, calls: { '/api/staking/total': T + 9 } })).toBe(T);
    expect(
      heldAt(read, { ...silent, calls: { '/api/staking/total': T + 9, '/api/vault/metrics': T + 4 } }),
    ).toBe(T + 4);
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
