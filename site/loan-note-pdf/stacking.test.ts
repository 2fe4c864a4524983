import { describe, expect, it } from 'vitest';
import { stack } from './stacking.ts';

const piece = (height: number, spaceAbove: number) => ({ height, spaceAbove });
const stackTops = (pieces: readonly { height: number; spaceAbove: number }[], height: number) =>
  stack(pieces, height)?.map(({ top }) => top);

describe('the pieces of a page', () => {
  it('have no space above the first, and spaces between them that stretch or shrink within limits', () => {
    const pieces = [piece(10, 8), piece(20, 4), piece(10, 6)];
    expect(stackTops(pieces, 50)).toEqual([0, 14, 40]);
    expect(stackTops(pieces, 55)).toEqual([0, 16, 45]);
    expect(stackTops(pieces, 48)).toEqual([0, 13.2, 38]);
    expect(stackTops(pieces, 900)).toEqual([0, 16, 45]);
    expect(stackTops([piece(10, 8)], 900)).toEqual([0]);
  });

  it('do not fit if they are too tall for the page even with the least space between them', () => {
    expect(stack([piece(10, 8), piece(20, 5)], 32.9)).toBeNull();
    expect(stack([piece(10, 8), piece(20, 5)], 33)).not.toBeNull();
  });
});
