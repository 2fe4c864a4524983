import { onTestFinished, vi } from 'vitest';

/** Slows the clock in a test. Endpoints have four seconds to answer, and a busy machine would exceed them. */
export function slowDownClock(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() / 10);
  onTestFinished(() => void vi.restoreAllMocks());
}
