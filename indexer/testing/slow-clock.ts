import { onTestFinished, vi } from 'vitest';

/** Slows `performance.now` in a test. Otherwise endpoints on a busy machine would exceed their limit of four seconds. */
export function slowDownClock(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() / 10);
  onTestFinished(() => void vi.restoreAllMocks());
}
