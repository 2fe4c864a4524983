import type { Element } from './sheet.ts';

/** A paragraph, list item, table or heading. It is never split across pages. */
export interface Piece {
  readonly height: number;
  /** The space above it, except at the top of a page. */
  readonly above: number;
  /** Whether it must be on the same page as the next piece. */
  readonly keepWithNext: boolean;
  /** Draws it on the current page, `top` points down, into its chapter's structure element. */
  readonly paint: (top: number, chapter: Element) => void;
}
