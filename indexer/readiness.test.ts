import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProgramMessage } from '../data/runtime/supervised.ts';
import { announceReadiness } from './readiness.ts';

describe('readiness', () => {
  const told: ProgramMessage[] = [];
  beforeEach(() => {
    told.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const announce = () => announceReadiness((message) => told.push(message), 5_000);

  it('is told once, with the slot of the first snapshot', () => {
    const readiness = announce();
    readiness.reached(7);
    readiness.reached(8);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([{ type: 'ready', details: { slot: 7 } }]);
  });

  it('is told with a note where the chain stays out of reach, and then not again', () => {
    const readiness = announce();
    vi.advanceTimersByTime(4_999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    readiness.reached(7);
    expect(told).toMatchObject([
      { type: 'ready', details: { note: expect.stringContaining('keeps trying') } },
    ]);
  });

  it('is not told any more once the program stops', () => {
    announce().cancel();
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });
});
