import { expect, it } from 'vitest';
import { type ReceivedFilterValue, receivedSpan } from './received-filter.ts';

it.each<[ReceivedFilterValue, now: string, from: string, before: string]>([
  ['today', '2026-01-01T23:59:59.999Z', '2026-01-01', '2026-01-02'],
  ['yesterday', '2026-01-01T00:00:00Z', '2025-12-31', '2026-01-01'],
  // 2026-01-05 is a Monday.
  ['this-week', '2026-01-05T00:00:00Z', '2026-01-05', '2026-01-12'],
  ['this-week', '2026-01-11T23:59:59Z', '2026-01-05', '2026-01-12'],
  ['last-week', '2026-01-11T12:00:00Z', '2025-12-29', '2026-01-05'],
  ['last-week', '2026-01-12T00:00:00Z', '2026-01-05', '2026-01-12'],
  ['last-30-days', '2026-01-30T12:00:00Z', '2026-01-01', '2026-01-31'],
])('%s at %s begins at %s and ends before %s', (received, now, from, before) => {
  const span = receivedSpan(received, Date.parse(now));
  expect(span).toEqual({ from: Date.parse(from), before: Date.parse(before) });
});
