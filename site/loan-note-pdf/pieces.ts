import { BODY, BODY_WIDTH, INK, LEADING, STYLES } from './paper.ts';
import type { Element, Sheet } from './sheet.ts';
import type { Piece } from './stacking.ts';
import { tablePiece } from './table-piece.ts';
import type { Block, Run } from './text-blocks.ts';

const INDENT = 16;
const ITEM_GAP = 2.4;
const PARAGRAPH_GAP = 5.4;
const HEADING_GAP = 9;
const TABLE_GAP = 7.5;

type HeadingTag = 'H3' | 'H4';

/** @param tag the tag of the headings in the text */
export function blockPieces(sheet: Sheet, blocks: readonly Block[], tag: HeadingTag): readonly Piece[] {
  return blocks.flatMap((block, index) => {
    const pieces = piecesOf(sheet, block, tag);
    const [first, ...others] = pieces;
    // A table has the same space above and below.
    const isAfterTable = blocks[index - 1]?.kind === 'table';
    return first && isAfterTable
      ? [{ ...first, above: Math.max(first.above, TABLE_GAP) }, ...others]
      : pieces;
  });
}

function piecesOf(sheet: Sheet, block: Block, tag: HeadingTag): readonly Piece[] {
  switch (block.kind) {
    case 'heading':
      return [textPiece(sheet, tag, block.runs, HEADING_GAP)];
    case 'paragraph':
      return [textPiece(sheet, 'P', block.runs, PARAGRAPH_GAP)];
    case 'list':
      return listPieces(sheet, block.items, block.isOrdered);
    case 'table':
      return [{ ...tablePiece(sheet, block), above: TABLE_GAP }];
  }
}

function textPiece(sheet: Sheet, tag: 'P' | HeadingTag, runs: readonly Run[], above: number): Piece {
  const style = tag === 'P' ? STYLES.body : STYLES.heading;
  const lines = sheet.lines(runs, BODY_WIDTH, style);
  const position = { x: BODY.left, leading: LEADING.body };
  return {
    height: lines.length * LEADING.body,
    above,
    paint: (top, chapter) => sheet.write(chapter, tag, lines, style, { ...position, top }),
  };
}

function listPieces(sheet: Sheet, items: readonly (readonly Run[])[], isOrdered: boolean): readonly Piece[] {
  let list: Element | null = null;
  const listIn = (chapter: Element) => {
    if (list) return list;
    list = sheet.element(chapter, 'L');
    list.dictionary.data.A = { O: 'List', ListNumbering: isOrdered ? 'Decimal' : 'Disc' };
    return list;
  };
  const { body } = STYLES;
  const marker = { ...body, color: INK.gold };
  return items.map((runs, index): Piece => {
    const lines = sheet.lines(runs, BODY_WIDTH - INDENT, body);
    const isLast = index === items.length - 1;
    return {
      height: lines.length * LEADING.body,
      above: index === 0 ? PARAGRAPH_GAP - 1 : ITEM_GAP,
      paint: (top, chapter) => {
        const element = listIn(chapter);
        const item = sheet.element(element, 'LI');
        const position = { top, leading: LEADING.body };
        sheet.writeLine(item, 'Lbl', isOrdered ? `${index + 1}.` : '•', marker, {
          ...position,
          x: BODY.left,
        });
        sheet.write(item, 'LBody', lines, body, { ...position, x: BODY.left + INDENT });
        item.end();
        if (isLast) element.end();
      },
    };
  });
}

const PART_HEAD = 34;
const CHAPTER_HEAD = { above: 9, height: 25, title: 6 };

/** The head of a part, at the top of its page. Links in the contents and bookmarks lead to it. */
export function partHead(
  sheet: Sheet,
  { number, title }: { readonly number: number; readonly title: string },
): Piece {
  return {
    height: PART_HEAD,
    above: 0,
    paint: (top, part) => {
      sheet.target(partTarget(number), top);
      sheet.bookmark(title, top);
      const position = { x: BODY.left, top, leading: 28 };
      sheet.writeLine(part, 'H2', title, STYLES.part, position);
      const atRight = { ...position, right: BODY.right };
      sheet.pageMark(String(number).padStart(2, '0'), STYLES.number, atRight);
    },
  };
}

/** The name of the link target of a part. */
export const partTarget = (number: number): string => `part-${number}`;

/** The head of a chapter in a part with several chapters: a rule and the title. */
export function chapterHead(
  sheet: Sheet,
  { id, title }: { readonly id: string; readonly title: string },
): Piece {
  return {
    height: CHAPTER_HEAD.height,
    above: CHAPTER_HEAD.above,
    paint: (top, part) => {
      sheet.rule(top, BODY.left, BODY.right, INK.strongLine);
      sheet.target(id, top);
      sheet.bookmark(title, top, 'inside');
      const position = { x: BODY.left, top: top + CHAPTER_HEAD.title, leading: 18 };
      sheet.writeLine(part, 'H3', title, STYLES.chapter, position);
    },
  };
}
