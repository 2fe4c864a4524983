import { onTestFinished, vi } from 'vitest';

/** Slows the clock in a test, because endpoints have four seconds to answer, which a busy machine would exceed. */
export function slowDownClock(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() / 10);
  onTestFinished(() => void vi.restoreAllMocks());
}
