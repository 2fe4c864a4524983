import { describe, expect, it } from 'vitest';
import { FRESHNESS } from '../../data/model/value-state.ts';
import * as exported from './figure-strategies.ts';
import {
  $pollIntervals,
  type FigureRead,
  figureState,
  lastConfirmedAt,
  lastReadsOf,
  recordPoll,
  sourceOf,
} from './source-freshness.ts';

type FigurePath = exported.FigurePath;

const NO_READS = { sources: { chain: null, market: null }, calls: {}, polls: {} };
const chainRead = (asOf: number, ...calls: FigurePath[]): FigureRead => ({ asOf, source: 'chain', calls });
const READ_AT_MS = 1_000_000_000;
const readsAfterFigure = { ...NO_READS, sources: { chain: READ_AT_MS + 600_000, market: null } };

describe('a figure', () => {
  it('goes from live to ageing to stale without later reads', () => {
    const { intervalMs, limitMs } = FRESHNESS.chain;
    const at = (age: number) => figureState(chainRead(READ_AT_MS), NO_READS, READ_AT_MS + age);
    expect([at(0), at(2 * intervalMs), at(2 * intervalMs + 1), at(limitMs), at(limitMs + 1)]).toEqual([
      'live',
      'live',
      'ageing',
      'ageing',
      'stale',
    ]);
  });

  it('stays live on a chain that is read and does not change', () => {
    expect(figureState(chainRead(READ_AT_MS), readsAfterFigure, READ_AT_MS + 601_000)).toBe('live');
  });

  it('ages despite reads of a different source', () => {
    const figure: FigureRead = { asOf: READ_AT_MS, source: 'market', calls: [] };
    expect(figureState(figure, readsAfterFigure, READ_AT_MS + 601_000)).toBe('stale');
  });

  it('is as old as its own read or the read of its source, whichever is later', () => {
    const latest = (chain: number) => ({ ...NO_READS, sources: { chain, market: null } });
    expect(lastConfirmedAt(chainRead(READ_AT_MS + 5), latest(READ_AT_MS))).toBe(READ_AT_MS + 5);
    expect(lastConfirmedAt(chainRead(READ_AT_MS), latest(READ_AT_MS + 5))).toBe(READ_AT_MS + 5);
  });

  it('is confirmed by a later response to its own call, but not to another call', () => {
    const latest = { ...NO_READS, calls: { '/api/staking/total': READ_AT_MS + 9 } };
    expect(lastConfirmedAt(chainRead(READ_AT_MS, '/api/staking/total'), latest)).toBe(READ_AT_MS + 9);
    expect(lastConfirmedAt(chainRead(READ_AT_MS, '/api/vault/metrics'), latest)).toBe(READ_AT_MS);
    expect(lastConfirmedAt(chainRead(READ_AT_MS), latest)).toBe(READ_AT_MS);
  });

  it('ages only by its own interval if it has one', () => {
    const freshness = { intervalMs: 60_000, limitMs: 360_000 };
    const read: FigureRead = { ...chainRead(READ_AT_MS, '/api/staking/total'), freshness };
    const sources = { chain: READ_AT_MS + 999_999, market: null };
    const latest = { ...NO_READS, sources, calls: { '/api/staking/total': READ_AT_MS + 9 } };
    expect(lastConfirmedAt(read, latest)).toBe(READ_AT_MS);
    const at = (age: number) => figureState(read, latest, READ_AT_MS + age);
    expect([at(120_000), at(120_001), at(360_001)]).toEqual(['live', 'ageing', 'stale']);
  });

  it('is as old as the older response if it comes from two calls', () => {
    const read = chainRead(READ_AT_MS, '/api/staking/total', '/api/vault/metrics');
    const calls = { '/api/staking/total': READ_AT_MS + 9 };
    expect(lastConfirmedAt(read, { ...NO_READS, calls })).toBe(READ_AT_MS);
    expect(
      lastConfirmedAt(read, { ...NO_READS, calls: { ...calls, '/api/vault/metrics': READ_AT_MS + 4 } }),
    ).toBe(READ_AT_MS + 4);
  });
});

const strategies = Object.entries(exported).filter(
  (entry): entry is [string, exported.FigureStrategy<FigurePath>] => typeof entry[1] === 'object',
);

describe('a polled figure', () => {
  it.each(strategies)(
    'is live from one read to the next, and stale after three missed reads: %s',
    (_name, { path, intervalMs }) => {
      const latest = { ...NO_READS, polls: { [path]: intervalMs } };
      for (const source of ['chain', 'market'] as const) {
        const at = (age: number) =>
          figureState({ asOf: READ_AT_MS, source, calls: [path] }, latest, READ_AT_MS + age);
        const slower = Math.max(intervalMs, FRESHNESS[source].intervalMs);
        const limit = Math.max(3 * intervalMs, FRESHNESS[source].limitMs);
        expect([at(intervalMs), at(2 * slower), at(2 * slower + 1), at(limit + 1)]).toEqual([
          'live',
          'live',
          'ageing',
          'stale',
        ]);
      }
    },
  );

  it('ages by the slower poll if it comes from two calls, and by its source if one of the polls failed', () => {
    const read = chainRead(READ_AT_MS, '/api/staking/total', '/api/vault/metrics');
    const at = (polls: Readonly<Record<string, number>>) =>
      figureState(read, { ...NO_READS, polls }, READ_AT_MS + 300_000);
    expect(at({ '/api/staking/total': 30_000, '/api/vault/metrics': 180_000 })).toBe('live');
    expect(at({ '/api/vault/metrics': 180_000 })).toBe('stale');
  });
});

describe('the polling interval of a call', () => {
  it('is known until a poll fails', () => {
    recordPoll('/api/a', 5_000);
    recordPoll('/api/b', 7_000);
    recordPoll('/api/a', null);
    expect($pollIntervals.get()).toEqual({ '/api/b': 7_000 });
    $pollIntervals.set({});
  });
});

describe('the source of a figure', () => {
  it('is the chain for the name of a chain, and the market for any other name', () => {
    expect(['solana', 'embedded-ledger'].map(sourceOf)).toEqual(['chain', 'chain']);
    expect(['demo', 'jupiter', 'constructor'].map(sourceOf)).toEqual(['market', 'market', 'market']);
  });

  it('has null as its read time, not zero, if it was not read', () => {
    const heartbeat = { now: '2026-01-01T00:00:00Z', chain: null, market: { asOf: '1970-01-01T00:00:01Z' } };
    expect(lastReadsOf(heartbeat)).toEqual({ chain: null, market: 1_000 });
  });
});
