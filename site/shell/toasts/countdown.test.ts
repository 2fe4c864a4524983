import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startCountdown } from './countdown.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a countdown', () => {
  it('ends after its time, once', () => {
    const onEnd = vi.fn();
    startCountdown(5_000, onEnd);
    vi.advanceTimersByTime(4_999);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it('does not count its pauses', () => {
    const onEnd = vi.fn();
    const countdown = startCountdown(5_000, onEnd);
    vi.advanceTimersByTime(3_000);
    countdown.pause();
    countdown.pause();
    vi.advanceTimersByTime(60_000);
    countdown.resume();
    countdown.resume();
    vi.advanceTimersByTime(1_999);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it('stays ended when it was cancelled', () => {
    const onEnd = vi.fn();
    const countdown = startCountdown(5_000, onEnd);
    countdown.cancel();
    countdown.resume();
    vi.advanceTimersByTime(60_000);
    expect(onEnd).not.toHaveBeenCalled();
  });
});
