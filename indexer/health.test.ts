import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProgramMessage } from '../data/runtime/shutdown.ts';
import { announceReadiness, createLagLog } from './health.ts';

describe('readiness', () => {
  const messages: ProgramMessage[] = [];
  beforeEach(() => {
    messages.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const announce = () => announceReadiness((message) => messages.push(message), 5_000);

  it('is announced once, with the slot of the first snapshot', () => {
    const readiness = announce();
    readiness.noteSnapshot(7);
    readiness.noteSnapshot(8);
    vi.advanceTimersByTime(60_000);
    expect(messages).toEqual([{ type: 'ready', details: { slot: 7 } }]);
  });

  it('is announced once, with a note, if the chain stays unreachable', () => {
    const readiness = announce();
    vi.advanceTimersByTime(4_999);
    expect(messages).toEqual([]);
    vi.advanceTimersByTime(1);
    readiness.noteSnapshot(7);
    expect(messages).toEqual([{ type: 'ready', details: { note: expect.any(String) } }]);
  });

  it('is not announced after the program stops', () => {
    announce().cancel();
    vi.advanceTimersByTime(60_000);
    expect(messages).toEqual([]);
  });
});

describe('the lag of endpoints', () => {
  it('is logged once when it exceeds 128 slots, and once when it no longer does, but not when it is unknown', () => {
    const lines: string[] = [];
    const logLag = createLagLog({
      warn: () => lines.push('warn'),
      info: () => lines.push('info'),
    });
    const lags = [null, 128, 129, 500, null, 500, 128, 0];
    const linesByLag = lags.map((slotLag) => {
      logLag([{ name: 'one.example', slotLag }]);
      return lines.splice(0);
    });
    expect(linesByLag).toEqual([[], [], ['warn'], [], [], [], ['info'], []]);
  });
});
