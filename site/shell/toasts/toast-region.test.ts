// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from 'vitest';
import { drawToast, startCountdown } from './toast-region.ts';

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

it('a press that ends outside a toast does not make the toast follow the pointer later', async () => {
  drawToast({ title: 'Copied', seconds: null });
  await expect.poll(() => document.querySelector<HTMLElement>('.toast')).not.toBeNull();
  const toast = document.querySelector<HTMLElement>('.toast');
  if (!toast) throw new Error('No toast.');
  toast.hasPointerCapture = () => true;
  toast.dispatchEvent(new PointerEvent('pointerdown', { button: 0, buttons: 1, clientX: 0 }));
  toast.dispatchEvent(new PointerEvent('pointermove', { buttons: 0, clientX: 40 }));
  expect(toast.style.translate ?? '').toBe('');
});
