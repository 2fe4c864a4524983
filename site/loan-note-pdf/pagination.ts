/** What pages are filled with. Lengths in points. */
export interface Fillable {
  readonly height: number;
  /** Room above it, which falls away at the head of a page. */
  readonly above: number;
  /** Whether it stands on the page of what follows it. */
  readonly clings: boolean;
}

export interface Placed<Piece> {
  readonly piece: Piece;
  /** From the head of the page. */
  readonly top: number;
}

/** Pieces that stand on one page, as each leads to the next. */
function groupsOf<Piece extends Fillable>(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  let isOpen = false;
  for (const piece of pieces) {
    const group = groups.at(-1);
    if (isOpen && group) group.push(piece);
    else groups.push([piece]);
    isOpen = piece.clings;
  }
  return groups;
}

const heightOf = (group: readonly Fillable[], isFirst: boolean) =>
  group.reduce((sum, { height, above }, index) => sum + height + (isFirst && index === 0 ? 0 : above), 0);

/** Fills pages of a height one after the other; null where a group is higher than a page. */
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

/** Points by which a lower page is looked for. */
const STEP = 2;

/**
 * Parts pieces among exactly so many pages, as evenly as they can be parted.
 * @returns null where they need more pages, or would fit fewer.
 */
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
