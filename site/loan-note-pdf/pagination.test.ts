import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fillable, fillPages, spreadOver } from './pagination.ts';

const piece = (height: number, above = 0, keepWithNext = false): Fillable => ({
  height,
  above,
  keepWithNext,
});
const heights = (pages: ReturnType<typeof fillPages>) =>
  pages?.map((page) => page.map((placed) => placed.piece.height)) ?? null;

describe('pages', () => {
  it('are filled in order, without space above the first piece', () => {
    const pages = fillPages([piece(4, 2), piece(4, 2), piece(3, 2)], 10);
    expect(pages?.map((page) => page.map(({ top }) => top))).toEqual([[0, 6], [0]]);
  });

  it('end before a heading if its text is on the next page', () => {
    expect(heights(fillPages([piece(6), piece(2, 1, true), piece(4)], 10))).toEqual([[6], [2, 4]]);
  });

  it('cannot contain a piece that is taller than a page', () => {
    expect(fillPages([piece(6, 0, true), piece(5)], 10)).toBeNull();
  });

  it('are filled evenly', () => {
    const pieces = Array.from({ length: 9 }, () => piece(10));
    expect(heights(spreadOver(pieces, 3, 40))?.map(({ length }) => length)).toEqual([3, 3, 3]);
  });

  it('are null if the pieces need more or fewer pages', () => {
    expect(spreadOver([piece(9), piece(9), piece(9)], 2, 10)).toBeNull();
    expect(spreadOver([piece(4), piece(4)], 2, 10)).toBeNull();
  });

  it('contain every piece once, in order, without overlaps', () => {
    const any = fc.record({
      height: fc.integer({ min: 1, max: 40 }),
      above: fc.integer({ min: 0, max: 9 }),
      keepWithNext: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any), fc.integer({ min: 100, max: 300 }), (pieces, height) => {
        const pages = fillPages(pieces, height);
        if (!pages) return;
        expect(pages.flatMap((page) => page.map((placed) => placed.piece))).toEqual(pieces);
        for (const page of pages) {
          let foot = 0;
          for (const placed of page) {
            expect(placed.top).toBeGreaterThanOrEqual(foot);
            foot = placed.top + placed.piece.height;
          }
          expect(foot).toBeLessThanOrEqual(height);
        }
      }),
    );
  });
});
