import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentWords, timeMarks } from './time-axis.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TO = Date.UTC(2026, 10, 21, 15, 30);
const words = (length: number) => timeMarks(TO - length, TO).map((mark) => mark.words);

describe('a horizontal axis', () => {
  it('of a day has hours, of a month days, of a year months', () => {
    expect(words(DAY)).toEqual(['18:00', '21 Nov', '06:00', '12:00']);
    expect(words(30 * DAY)).toEqual(['29 Oct', '5 Nov', '12 Nov', '19 Nov']);
    expect(words(365 * DAY)).toEqual(['Jan 2026', 'Apr 2026', 'Jul 2026', 'Oct 2026']);
  });

  it('has few marks, all of them inside, rising, whatever its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: HOUR, max: 8_000 * DAY }), fc.nat(400 * DAY), (length, offset) => {
        const to = TO + offset;
        const marks = timeMarks(to - length, to).map(({ at }) => at);
        expect(marks.length).toBeLessThanOrEqual(6);
        expect(marks).toEqual(marks.filter((at) => at > to - length && at < to));
        expect(marks).toEqual(marks.toSorted((one, other) => one - other));
      }),
    );
  });

  it('tells moments to the minute, in UTC', () => {
    expect(momentWords(TO)).toBe('21 Nov 2026, 15:30');
  });
});
