import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReferenceSource,
  REFERENCE_NUMBER_PATTERN,
  REFERENCE_SERIALS,
  referenceNumber,
} from './reference-number.ts';

describe('a reference number', () => {
  it('consists of the day in UTC and six digits', () => {
    expect(referenceNumber(Date.UTC(2026, 0, 2, 23, 59, 59, 999), 100_000)).toBe('BD-20260102-100000');
    expect(referenceNumber(Date.UTC(2026, 11, 31), 999_999)).toBe('BD-20261231-999999');
  });

  it('matches the pattern, for any day and digits', () => {
    const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
    const serial = fc.integer({ min: REFERENCE_SERIALS.from, max: REFERENCE_SERIALS.below - 1 });
    fc.assert(
      fc.property(day, serial, (date, number) => {
        expect(referenceNumber(date.getTime(), number)).toMatch(REFERENCE_NUMBER_PATTERN);
      }),
    );
  });

  it.each([99_999, 1_000_000, 123_456.5, Number.NaN])('cannot end with %s', (serial) => {
    expect(() => referenceNumber(0, serial)).toThrow(RangeError);
  });

  it.each([
    'BD-2026012-123456',
    'BD-20260102-012345',
    'BD-20260102-1234567',
    ' BD-20260102-123456',
    'bd-20260102-123456',
  ])('cannot be %j', (text) => {
    expect(text).not.toMatch(REFERENCE_NUMBER_PATTERN);
  });
});

describe('the number that a client proposes', () => {
  const noon = Date.UTC(2026, 0, 2, 12);
  const draw = () => 'BD-20260102-100000';
  const firstReference = (preferred: string | undefined) => createReferenceSource(preferred, noon, draw)();

  it('is used first, and only once', () => {
    const drawNext = createReferenceSource('BD-20260102-555555', noon, draw);
    expect([drawNext(), drawNext(), drawNext()]).toEqual(['BD-20260102-555555', draw(), draw()]);
  });

  it('is used only if its day is at most one day from today (UTC)', () => {
    expect(['BD-20260101-555555', 'BD-20260103-555555'].map(firstReference)).toEqual([
      'BD-20260101-555555',
      'BD-20260103-555555',
    ]);
    expect(firstReference('BD-20251231-555555')).toBe(draw());
    expect(firstReference('BD-20260104-555555')).toBe(draw());
  });

  it('is ignored if it is malformed', () => {
    fc.assert(fc.property(fc.string(), (text) => firstReference(text) === draw()));
    for (const malformed of [
      undefined,
      '',
      'BD-20260102-012345',
      'BD-20260102-555555 ',
      'bd-20260102-555555',
    ]) {
      expect(firstReference(malformed)).toBe(draw());
    }
  });
});
