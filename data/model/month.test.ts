import { describe, expect, it } from 'vitest';
import { monthName, monthsLater, monthText } from './month.ts';

describe('a month', () => {
  it('after December is in the next year', () => {
    expect(monthsLater({ year: 2025, month: 6 }, 6)).toEqual({ year: 2025, month: 12 });
    expect(monthsLater({ year: 2025, month: 12 }, 1)).toEqual({ year: 2026, month: 1 });
    expect(monthsLater({ year: 2025, month: 6 }, 24)).toEqual({ year: 2027, month: 6 });
  });

  it('is named in full, and must be one of twelve', () => {
    expect(monthText({ year: 2026, month: 2 })).toBe('February 2026');
    expect(() => monthName(13)).toThrow(RangeError);
  });
});
