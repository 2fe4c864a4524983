import { onTestFinished, vi } from 'vitest';

/** Makes `performance.now` ten times slower. Otherwise endpoints on a busy machine would exceed their four-second limit. */
export function slowDownClock(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() / 10);
  onTestFinished(() => void vi.restoreAllMocks());
}
