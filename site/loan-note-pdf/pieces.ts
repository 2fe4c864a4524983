import type { Piece } from './pagination.ts';
import { BODY, BODY_WIDTH, INK, LEADING, STYLES } from './paper.ts';
import type { Element, Sheet } from './sheet.ts';
import { tablePiece } from './table-piece.ts';
import type { Block, Run } from './text-blocks.ts';

const INDENT = 16;
const ITEM_GAP = 3;
const PARAGRAPH_GAP = 6;
const HEADING_GAP = 11;
const TABLE_GAP = 9;

export function blockPieces(sheet: Sheet, blocks: readonly Block[]): readonly Piece[] {
  return blocks.flatMap((block, index) => {
    const pieces = piecesOf(sheet, block, blocks[index + 1]);
    const [first, ...others] = pieces;
    // A table has the same space above and below.
    const isAfterTable = blocks[index - 1]?.kind === 'table';
    return first && isAfterTable
      ? [{ ...first, above: Math.max(first.above, TABLE_GAP) }, ...others]
      : pieces;
  });
}

function piecesOf(sheet: Sheet, block: Block, next: Block | undefined): readonly Piece[] {
  switch (block.kind) {
    case 'heading':
      return [textPiece(sheet, 'H3', block.runs, HEADING_GAP)];
    case 'paragraph': {
      // Keeps a paragraph on the same page as the list or table after it.
      const keepWithNext = next?.kind === 'list' || next?.kind === 'table';
      return [{ ...textPiece(sheet, 'P', block.runs, PARAGRAPH_GAP), keepWithNext }];
    }
    case 'list':
      return listPieces(sheet, block.items, block.isOrdered);
    case 'table':
      return [{ ...tablePiece(sheet, block), above: TABLE_GAP }];
  }
}

function textPiece(sheet: Sheet, tag: 'P' | 'H3', runs: readonly Run[], above: number): Piece {
  const isHeading = tag === 'H3';
  const style = isHeading ? STYLES.heading : STYLES.body;
  const lines = sheet.lines(runs, BODY_WIDTH, style);
  const position = { x: BODY.left, leading: LEADING.body };
  return {
    height: lines.length * LEADING.body,
    above,
    keepWithNext: isHeading,
    paint: (top, chapter) => sheet.write(chapter, tag, lines, style, { ...position, top }),
  };
}

/** The items form one list element, even across pages. */
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
      // Keeps the first and last items from being alone on a page.
      keepWithNext: items.length > 2 && (index === 0 || index === items.length - 2),
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

const HEAD_ABOVE = 26;
const HEAD_HEIGHT = 38;

/** The head of a chapter: a rule, its title and its number. The contents and bookmarks link here. */
export function chapterHead(
  sheet: Sheet,
  { id, title, number }: { readonly id: string; readonly title: string; readonly number: number },
): Piece {
  return {
    height: HEAD_HEIGHT,
    above: HEAD_ABOVE,
    keepWithNext: true,
    paint: (top, chapter) => {
      // The header of a page already has a line.
      if (top > BODY.top) sheet.rule(top, BODY.left, BODY.right, INK.strongLine);
      sheet.target(id, top);
      sheet.bookmark(title, top);
      sheet.pageMark(String(number).padStart(2, '0'), STYLES.number, {
        x: 0,
        right: BODY.right,
        top: top + 11,
        leading: 22,
      });
      const position = { x: BODY.left, top: top + 11, leading: 22 };
      sheet.writeLine(chapter, 'H2', title, STYLES.chapter, position);
    },
  };
}
