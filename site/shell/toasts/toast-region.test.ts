// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from 'vitest';
import { startCountdown } from './toast-region.ts';

it('a countdown excludes pauses, ends only once, and never ends after it is canceled', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
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
  const canceledCountdown = startCountdown(5_000, onEnd);
  canceledCountdown.cancel();
  canceledCountdown.resume();
  vi.advanceTimersByTime(60_000);
  expect(onEnd).toHaveBeenCalledOnce();
});
