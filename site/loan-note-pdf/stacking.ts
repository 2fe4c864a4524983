import type { StructureElement } from './tagged-pdf.ts';

/** A heading, paragraph, list item, table or figure. Lengths are in points. */
export interface Piece {
  readonly height: number;
  /** The space above the piece before stretching. The first piece on a page gets none. */
  readonly spaceAbove: number;
  /** Draws the piece on the current page, `top` points below the page's top edge, and adds its tags to `part`. */
  readonly paint: (top: number, part: StructureElement) => void;
}

interface PlacedPiece<Piece> {
  readonly piece: Piece;
  /** The distance from the top of the page's text area. */
  readonly top: number;
}

/**
 * The minimum and maximum factors for the space between pieces. The space shrinks on a full page, so that small changes to
 * the texts still fit. It grows on a page that has room to spare.
 */
const STRETCH = { least: 0.6, most: 1.5 };

const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);

/** Stacks pieces on one page. @returns null if they do not fit on the page */
export function stack<Stacked extends Pick<Piece, 'height' | 'spaceAbove'>>(
  pieces: readonly Stacked[],
  height: number,
): readonly PlacedPiece<Stacked>[] | null {
  const gaps = sum(pieces.slice(1).map(({ spaceAbove }) => spaceAbove));
  const freeHeight = height - sum(pieces.map((piece) => piece.height));
  if (gaps * STRETCH.least > freeHeight) return null;
  const stretch = gaps === 0 ? 1 : Math.min(STRETCH.most, freeHeight / gaps);
  let y = 0;
  return pieces.map((piece, index) => {
    const top = index === 0 ? 0 : y + piece.spaceAbove * stretch;
    y = top + piece.height;
    return { piece, top };
  });
}
