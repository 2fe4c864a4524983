import type { Element } from './sheet.ts';

/** What is never parted by the end of a page: a paragraph, an item, a table, a heading. */
export interface Piece {
  readonly height: number;
  /** Room above it, which falls away at the head of a page. */
  readonly above: number;
  /** Whether it stands on the page of what follows it. */
  readonly clings: boolean;
  /** Paints it at a height of the current page, into the element of its chapter. */
  readonly paint: (top: number, chapter: Element) => void;
}
