import { expect, it } from 'vitest';
import { durationText } from './DueTime.tsx';

it.each([
  [0, '0 min'],
  [59 * 60_000, '59 min'],
  [3_600_000, '1 h'],
  [47 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 days'],
])('a span of %i ms is shown as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
