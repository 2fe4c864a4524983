import type { Element } from './sheet.ts';

/** Lengths in points. */
export interface Fillable {
  readonly height: number;
  /** The space above the piece, except at the top of a page. */
  readonly above: number;
  /** Whether the piece must be on the same page as the next one. */
  readonly keepWithNext: boolean;
}

/** A paragraph, list item, table or heading. It is never split across pages. */
export interface Piece extends Fillable {
  /** Draws the piece on the current page, `top` points down, into its chapter's structure element. */
  readonly paint: (top: number, chapter: Element) => void;
}

export interface Placed<Piece> {
  readonly piece: Piece;
  /** The distance from the top of the page's text area. */
  readonly top: number;
}

/** Groups of pieces that must be on the same page. */
function groupsOf<Piece extends Fillable>(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  let isOpen = false;
  for (const piece of pieces) {
    const group = groups.at(-1);
    if (isOpen && group) group.push(piece);
    else groups.push([piece]);
    isOpen = piece.keepWithNext;
  }
  return groups;
}

const heightOf = (group: readonly Fillable[], isFirst: boolean) =>
  group.reduce((sum, { height, above }, index) => sum + height + (isFirst && index === 0 ? 0 : above), 0);

/** Fills pages in order; null if a group is taller than a page. */
export function fillPages<Piece extends Fillable>(
  pieces: readonly Piece[],
  height: number,
): readonly (readonly Placed<Piece>[])[] | null {
  const pages: Placed<Piece>[][] = [];
  let y = 0;
  for (const group of groupsOf(pieces)) {
    if (heightOf(group, true) > height) return null;
    let page = pages.at(-1);
    if (!page || y + heightOf(group, false) > height) {
      page = [];
      pages.push(page);
      y = 0;
    }
    for (const piece of group) {
      const top = page.length === 0 ? 0 : y + piece.above;
      page.push({ piece, top });
      y = top + piece.height;
    }
  }
  return pages;
}

/** Points by which the height is reduced in each step. */
const STEP = 2;

/** Spreads pieces as evenly as possible over a fixed number of pages. @returns null if they need more or fewer pages */
export function spreadOver<Piece extends Fillable>(
  pieces: readonly Piece[],
  count: number,
  height: number,
): readonly (readonly Placed<Piece>[])[] | null {
  let best = fillPages(pieces, height);
  if (best?.length !== count) return null;
  for (let limit = height - STEP; limit > 0; limit -= STEP) {
    const pages = fillPages(pieces, limit);
    if (pages?.length !== count) break;
    best = pages;
  }
  return best;
}
