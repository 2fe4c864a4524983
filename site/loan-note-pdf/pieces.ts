import { BODY, BODY_WIDTH, INK, LEADING, STYLES } from './paper.ts';
import type { Piece } from './stacking.ts';
import { tablePiece } from './table-piece.ts';
import type { StructureElement, TaggedPdf } from './tagged-pdf.ts';
import type { Block, Run } from './text-blocks.ts';

const INDENT = 16;
const ITEM_GAP = 2.4;
const PARAGRAPH_GAP = 5.4;
const HEADING_GAP = 9;
const TABLE_GAP = 7.5;

type HeadingTag = 'H3' | 'H4';

/** @param tag the tag for heading blocks */
export function blockPieces(pdf: TaggedPdf, blocks: readonly Block[], tag: HeadingTag): readonly Piece[] {
  return blocks.flatMap((block, index) => {
    const pieces = piecesOf(pdf, block, tag);
    const [first, ...others] = pieces;
    // Leaves the same space below a table as above it.
    const isAfterTable = blocks[index - 1]?.kind === 'table';
    return first && isAfterTable
      ? [{ ...first, spaceAbove: Math.max(first.spaceAbove, TABLE_GAP) }, ...others]
      : pieces;
  });
}

function piecesOf(pdf: TaggedPdf, block: Block, tag: HeadingTag): readonly Piece[] {
  switch (block.kind) {
    case 'heading':
      return [textPiece(pdf, tag, block.runs, HEADING_GAP)];
    case 'paragraph':
      return [textPiece(pdf, 'P', block.runs, PARAGRAPH_GAP)];
    case 'list':
      return listPieces(pdf, block.items, block.isOrdered);
    case 'table':
      return [{ ...tablePiece(pdf, block), spaceAbove: TABLE_GAP }];
  }
}

function textPiece(pdf: TaggedPdf, tag: 'P' | HeadingTag, runs: readonly Run[], spaceAbove: number): Piece {
  const style = tag === 'P' ? STYLES.body : STYLES.heading;
  const lines = pdf.breakLines(runs, BODY_WIDTH, style);
  const position = { x: BODY.left, leading: LEADING.body };
  return {
    height: lines.length * LEADING.body,
    spaceAbove,
    paint: (top, chapter) => pdf.write(chapter, tag, lines, style, { ...position, top }),
  };
}

function listPieces(
  pdf: TaggedPdf,
  items: readonly (readonly Run[])[],
  isOrdered: boolean,
): readonly Piece[] {
  let list: StructureElement | null = null;
  const openList = (chapter: StructureElement) => {
    if (list) return list;
    list = pdf.addElement(chapter, 'L');
    list.dictionary.data.A = { O: 'List', ListNumbering: isOrdered ? 'Decimal' : 'Disc' };
    return list;
  };
  const { body } = STYLES;
  const markerStyle = { ...body, color: INK.gold };
  return items.map((runs, index): Piece => {
    const lines = pdf.breakLines(runs, BODY_WIDTH - INDENT, body);
    const isLast = index === items.length - 1;
    return {
      height: lines.length * LEADING.body,
      spaceAbove: index === 0 ? PARAGRAPH_GAP - 1 : ITEM_GAP,
      paint: (top, chapter) => {
        const element = openList(chapter);
        const item = pdf.addElement(element, 'LI');
        const position = { top, leading: LEADING.body };
        pdf.writeLine(item, 'Lbl', isOrdered ? `${index + 1}.` : '•', markerStyle, {
          ...position,
          x: BODY.left,
        });
        pdf.write(item, 'LBody', lines, body, { ...position, x: BODY.left + INDENT });
        item.end();
        if (isLast) element.end();
      },
    };
  });
}

const PART_HEAD_HEIGHT = 34;
const CHAPTER_HEAD = { above: 9, height: 25, title: 6 };

/** The heading of a part, at the top of its page. A bookmark and a link in the contents lead to it. */
export function partHead(
  pdf: TaggedPdf,
  { number, title }: { readonly number: number; readonly title: string },
): Piece {
  return {
    height: PART_HEAD_HEIGHT,
    spaceAbove: 0,
    paint: (top, part) => {
      pdf.addTarget(partTarget(number), top);
      pdf.addBookmark(title, top);
      const position = { x: BODY.left, top, leading: 28 };
      pdf.writeLine(part, 'H2', title, STYLES.part, position);
      const atRight = { ...position, right: BODY.right };
      pdf.writePageMark(String(number).padStart(2, '0'), STYLES.number, atRight);
    },
  };
}

export const partTarget = (number: number): string => `part-${number}`;

/** The heading of a chapter in a part that has several chapters: a rule and the title. */
export function chapterHead(
  pdf: TaggedPdf,
  { id, title }: { readonly id: string; readonly title: string },
): Piece {
  return {
    height: CHAPTER_HEAD.height,
    spaceAbove: CHAPTER_HEAD.above,
    paint: (top, part) => {
      pdf.drawRule(top, BODY.left, BODY.right, INK.strongLine);
      pdf.addTarget(id, top);
      pdf.addBookmark(title, top, 'inside');
      const position = { x: BODY.left, top: top + CHAPTER_HEAD.title, leading: 18 };
      pdf.writeLine(part, 'H3', title, STYLES.chapter, position);
    },
  };
}
