import { HATCHES, placeShares, type Share } from '../components/chart/shares.ts';
import { BODY, BODY_WIDTH, INK } from './paper.ts';
import type { Piece } from './stacking.ts';
import type { TaggedPdf } from './tagged-pdf.ts';

const HEIGHT = 54;
const SWATCH = { width: 18, height: 12 };
/** The width of a swatch plus the gap before its label, in points. */
export const SWATCH_ROOM = SWATCH.width + 8;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Fills a box with a share's hatching, as in the chart on the web page. */
function hatch({ doc }: TaggedPdf, index: number, { x, y, width, height }: Box): void {
  const hatching = HATCHES[index];
  if (!hatching) throw new RangeError(`A bar has at most ${HATCHES.length} parts.`);
  const { size, path, stroke } = hatching;
  if (stroke >= size) {
    doc.rect(x, y, width, height).fill(INK.gold);
    return;
  }
  doc.save().rect(x, y, width, height).clip().lineWidth(stroke).strokeColor(INK.gold);
  for (let top = 0; top < height; top += size) {
    for (let left = 0; left < width; left += size) {
      doc
        .save()
        .translate(x + left, y + top)
        .path(path)
        .stroke()
        .restore();
    }
  }
  doc.restore();
}

export function shareBarPiece(pdf: TaggedPdf, label: string, shares: readonly Share[]): Piece {
  return {
    height: HEIGHT,
    spaceAbove: 12,
    paint: (top, chapter) => {
      const bbox: [number, number, number, number] = [BODY.left, top, BODY.right, top + HEIGHT];
      const figure = pdf.addElement(chapter, 'Figure', { alt: label, bbox });
      figure.add(pdf.doc.markStructureContent('Figure'));
      placeShares(shares, BODY_WIDTH, 2.4).forEach(({ x, width }, index) => {
        hatch(pdf, index, { x: BODY.left + x, y: top, width, height: HEIGHT });
      });
      pdf.doc.endMarkedContent();
      figure.end();
    },
  };
}

export function drawSwatch(pdf: TaggedPdf, index: number, x: number, top: number): void {
  pdf.decorate(() => hatch(pdf, index, { x, y: top, ...SWATCH }));
}
