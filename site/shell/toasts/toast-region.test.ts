// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startCountdown } from './toast-region.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a countdown', () => {
  it('ends once, after its time', () => {
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

  it('never ends after it is canceled', () => {
    const onEnd = vi.fn();
    const countdown = startCountdown(5_000, onEnd);
    countdown.cancel();
    countdown.resume();
    vi.advanceTimersByTime(60_000);
    expect(onEnd).not.toHaveBeenCalled();
  });
});
