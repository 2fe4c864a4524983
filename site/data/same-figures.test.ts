import { describe, expect, it } from 'vitest';
import { keepSameFigures } from './same-figures.ts';

const before = { balance: '1', parts: [{ hours: 6 }], asOf: '2026-01-01T00:00:00Z', slot: 1, state: 'live' };
const later = { ...before, parts: [{ hours: 6 }], asOf: '2026-01-01T00:00:09Z', slot: 9, state: 'ageing' };

describe('an answer that brings the same figures', () => {
  it('leaves the former one in place, whatever it says of its reading', () => {
    expect(keepSameFigures(before, later)).toBe(before);
    expect(keepSameFigures([before], [{ ...before }])).toEqual([before]);
  });

  it('gives way where a figure differs, appears or goes, and keeps the parts that do not', () => {
    const moved = keepSameFigures(before, { ...later, balance: '2' });
    expect(moved).toMatchObject({ balance: '2', slot: 9 });
    expect((moved as typeof before).parts).toBe(before.parts);
    expect(keepSameFigures(before, { ...later, extra: 1 })).toMatchObject({ extra: 1 });
    const { parts, ...less } = later;
    expect(keepSameFigures(before, less)).toEqual(less);
    expect(keepSameFigures({ ...less, other: 1 }, { ...less, another: 1 })).toEqual({ ...less, another: 1 });
  });

  it('is taken as it is where nothing was had before, or the server no longer knows', () => {
    expect(keepSameFigures(undefined, later)).toBe(later);
    expect(keepSameFigures(before, null)).toBeNull();
    expect(keepSameFigures(null, later)).toBe(later);
  });
});
