import type { Line } from './lines.ts';
import { BODY, BODY_WIDTH, HAIRLINE, INK, LEADING, STYLES, type Style } from './paper.ts';
import type { Piece } from './stacking.ts';
import type { StructureElement, TaggedPdf } from './tagged-pdf.ts';
import { plainText, type Run, type Table } from './text-blocks.ts';

const GAP = 16;
const PADDING = 3.5;
/** Matches a cell that contains only a number, an amount, a percentage or a dash. */
const FIGURE = /^[+−]?\$?\d[\d,.]*(?: million|%| BD)?$|^–$/;

interface TableOptions {
  /** Each column's share of the width, from 0 to 1. Computed from the texts if absent. */
  readonly widths?: readonly number[];
  readonly caption?: string;
  /** A mark before the first cell of each row except the header row. `width` is in points. */
  readonly mark?: { readonly width: number; readonly draw: (row: number, x: number, top: number) => void };
}

/**
 * The first column contains the row names. It is wide enough for the longest name, up to `MAX_NAME_SHARE` of the table's
 * width. Every other column is wide enough for its longest word. The columns share the remaining width in proportion to the
 * extra width that each needs to show its longest text on one line.
 */
function columnWidths(pdf: TaggedPdf, table: Table, available: number): readonly number[] {
  const columns = table.head.map((_, column) => [table.head, ...table.rows].map((row) => row[column] ?? []));
  const widestText = (texts: readonly string[], style: Style) =>
    Math.max(...texts.map((text) => pdf.measure(text, style)));
  const maxWidths = columns.map((cells, column) =>
    widestText(cells.map(plainText), column === 0 ? NAME_STYLE : STYLES.cell),
  );
  const minWidths = columns.map((cells, column) =>
    column === 0
      ? Math.min(maxWidths[0] ?? 0, available * MAX_NAME_SHARE)
      : widestText(
          cells.flatMap((runs) => plainText(runs).split(' ')),
          STYLES.cell,
        ),
  );
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  const spare = available - sum(maxWidths);
  // If every row fits on one line, the name column gets half of the spare width, to set the names apart from the figures.
  if (spare >= 0) {
    const columnSpare = spare / 2 / (maxWidths.length - 1);
    return maxWidths.map((width, column) => width + (column === 0 ? spare / 2 : columnSpare));
  }
  const share = (available - sum(minWidths)) / (sum(maxWidths) - sum(minWidths));
  return maxWidths.map((width, column) => {
    const minWidth = minWidths[column] ?? 0;
    return minWidth + (width - minWidth) * share;
  });
}

const NAME_STYLE: Style = { ...STYLES.cell, face: 'medium' };
/** The maximum share of the table's width for the row names. Longer names wrap. */
const MAX_NAME_SHARE = 0.5;

interface Column {
  readonly x: number;
  readonly width: number;
  readonly hasOnlyFigures: boolean;
}

function columnsOf(pdf: TaggedPdf, table: Table, { widths, mark }: TableOptions): readonly Column[] {
  const available = BODY_WIDTH - GAP * (table.head.length - 1);
  const inset = mark?.width ?? 0;
  const allWidths = widths
    ? widths.map((share) => share * available)
    : columnWidths(pdf, table, available - inset);
  let x = BODY.left;
  return allWidths.map((width, column) => {
    const hasOnlyFigures =
      column > 0 && table.rows.every((row) => FIGURE.test(plainText(row[column] ?? []).trim()));
    const leftInset = column === 0 ? inset : 0;
    const placed = { x: x + leftInset, width: widths ? width - leftInset : width, hasOnlyFigures };
    x = placed.x + placed.width + GAP;
    return placed;
  });
}

function cellStyle({ hasOnlyFigures }: Column, isName: boolean): Style {
  const style: Style = isName ? NAME_STYLE : STYLES.cell;
  return hasOnlyFigures ? { ...style, isTabular: true } : style;
}

interface Row {
  readonly cells: readonly (readonly Line[])[];
  readonly height: number;
}

/** Lays out a table with scoped header cells and a hairline below each row. The hairline below the header row is gold. */
export function tablePiece(pdf: TaggedPdf, table: Table, options: TableOptions = {}): Piece {
  const columns = columnsOf(pdf, table, options);
  const lastIndex = table.rows.length - 1;
  const isSum = (row: number) => row === lastIndex && plainText(table.rows[row]?.[0] ?? []) === 'Sum';
  const layOut = (
    cells: readonly (readonly Run[])[],
    style: (column: Column, index: number) => Style,
  ): Row => {
    const lines = columns.map((column, index) =>
      pdf.breakLines(cells[index] ?? [], column.width, style(column, index)),
    );
    const count = Math.max(1, ...lines.map(({ length }) => length));
    return { cells: lines, height: count * LEADING.cell + 2 * PADDING };
  };
  const styleOf = (row: number) => (column: Column, index: number) =>
    cellStyle(column, index === 0 || isSum(row));
  const head = layOut(table.head, () => STYLES.small);
  const rows = table.rows.map((cells, row) => layOut(cells, styleOf(row)));
  const captionHeight = options.caption === undefined ? 0 : LEADING.cell + 4;
  const height = captionHeight + head.height + rows.reduce((sum, row) => sum + row.height, 0);

  function paintRow(
    parent: StructureElement,
    row: Row,
    top: number,
    isHead: boolean,
    styles: (column: Column, index: number) => Style,
  ): void {
    const element = pdf.addElement(parent, 'TR');
    columns.forEach((column, index) => {
      const tag = isHead || index === 0 ? 'TH' : 'TD';
      const scope = tag === 'TD' ? {} : { scope: isHead ? ('Column' as const) : ('Row' as const) };
      const cell = pdf.addElement(element, tag, scope);
      const position = { x: column.x, top: top + PADDING, leading: LEADING.cell };
      const textBox = column.hasOnlyFigures ? { ...position, right: column.x + column.width } : position;
      pdf.writeInto(cell, tag, row.cells[index] ?? [], styles(column, index), textBox);
      cell.end();
    });
    element.end();
  }

  return {
    height,
    spaceAbove: 0,
    paint: (top, chapter) => {
      const element = pdf.addElement(chapter, 'Table');
      let y = top;
      if (options.caption !== undefined) {
        const position = { x: BODY.left, top: y, leading: LEADING.cell };
        pdf.writeLine(element, 'Caption', options.caption, STYLES.small, position);
        y += captionHeight;
      }
      paintRow(element, head, y, true, () => STYLES.small);
      y += head.height;
      pdf.drawRule(y, BODY.left, BODY.right, INK.gold);
      rows.forEach((row, index) => {
        options.mark?.draw(index, BODY.left, y + PADDING);
        paintRow(element, row, y, false, styleOf(index));
        y += row.height;
        pdf.drawRule(y - HAIRLINE / 2, BODY.left, BODY.right);
      });
      element.end();
    },
  };
}
