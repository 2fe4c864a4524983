import type { CollectionEntry } from 'astro:content';
import { medallionPath } from '../components/cards/guilloche.ts';
import { BODY, BODY_WIDTH, HAIRLINE, INK, LEADING, PAPER, STYLES, type Style } from './paper.ts';
import type { Part } from './parts.ts';
import { partTarget } from './pieces.ts';
import type { Piece } from './stacking.ts';
import type { StructureElement, TaggedPdf } from './tagged-pdf.ts';

interface CoverTexts {
  readonly brand: string;
  readonly title: string;
  readonly lead: string;
  readonly headline: CollectionEntry<'loanTerms'>['data']['headline'];
  /** Version and date, such as `Version 3, 21 November 2026`. */
  readonly edition: string;
  /** The note that marks a draft; null if the document is not a draft. */
  readonly draft: string | null;
  readonly borrower: string;
}

const GOLD_LINE_TOP = 452;
const MEDALLION_RADIUS = 150;
const COLUMNS = 3;
const HEADLINE_ROW_HEIGHT = 92;

export function paintCover(pdf: TaggedPdf, texts: CoverTexts): void {
  const { brand, title, lead, headline, edition, draft, borrower } = texts;
  const { doc } = pdf;
  pdf.decorate(() => {
    doc.rect(0, 0, PAPER.width, PAPER.height).fill(INK.paper);
    doc.save().rect(0, 0, PAPER.width, GOLD_LINE_TOP).clip();
    doc.translate(BODY.right - MEDALLION_RADIUS, GOLD_LINE_TOP).scale(MEDALLION_RADIUS / 320);
    doc.path(medallionPath()).lineWidth(0.9).strokeOpacity(0.55).stroke(INK.gold).restore();
    doc.lineWidth(1).moveTo(BODY.left, GOLD_LINE_TOP).lineTo(BODY.right, GOLD_LINE_TOP).stroke(INK.gold);
  });
  const cover = pdf.addElement(pdf.root, 'Sect', { title });
  pdf.writeLine(cover, 'P', brand, { ...STYLES.heading, size: 12 }, { x: BODY.left, top: 62, leading: 16 });
  const titleLines = pdf.breakLines([{ text: title }], 300, STYLES.title);
  pdf.write(cover, 'H1', titleLines, STYLES.title, { x: BODY.left, top: 150, leading: 52 });
  const leadLines = pdf.breakLines([{ text: lead }], 300, STYLES.lead);
  const leadTop = 150 + titleLines.length * 52 + 18;
  pdf.write(cover, 'P', leadLines, STYLES.lead, { x: BODY.left, top: leadTop, leading: 20 });

  const columnWidth = BODY_WIDTH / COLUMNS;
  headline.forEach(({ id, label, value, note }, index) => {
    const x = BODY.left + (index % COLUMNS) * columnWidth;
    const top = GOLD_LINE_TOP + 26 + Math.floor(index / COLUMNS) * (HEADLINE_ROW_HEIGHT + 22);
    const entry = pdf.addElement(cover, 'Div');
    pdf.writeLine(entry, 'P', label, STYLES.quiet, { x, top, leading: 14 });
    const figureStyle = id === 'risk' ? { ...STYLES.figure, color: INK.red } : STYLES.figure;
    pdf.writeLine(entry, 'P', value, figureStyle, { x, top: top + 18, leading: 30 });
    const lines = pdf.breakLines([{ text: note }], columnWidth - 18, STYLES.small);
    pdf.write(entry, 'P', lines, STYLES.small, { x, top: top + 53, leading: 11 });
    entry.end();
  });
  pdf.drawRule(GOLD_LINE_TOP + 26 + HEADLINE_ROW_HEIGHT + 2, BODY.left, BODY.right);
  if (draft !== null) paintDraftMark(pdf, cover, draft);
  const borrowerLines = pdf.breakLines([{ text: `Borrower: ${borrower}` }], BODY_WIDTH, STYLES.quiet);
  const leading = LEADING.quiet;
  const borrowerTop = EDITION_TOP - borrowerLines.length * leading;
  pdf.write(cover, 'P', borrowerLines, STYLES.quiet, { x: BODY.left, top: borrowerTop, leading });
  pdf.writeLine(cover, 'P', edition, STYLES.quiet, { x: BODY.left, top: EDITION_TOP, leading });
  cover.end();
}

const EDITION_TOP = 784;
const DRAFT_BOX = { height: 24, padding: 11 };

function paintDraftMark(pdf: TaggedPdf, cover: StructureElement, text: string): void {
  const style = { ...STYLES.warning, size: 11 };
  const width = pdf.measure(text, style) + 2 * DRAFT_BOX.padding;
  const [x, top] = [BODY.right - width, 58];
  pdf.decorate(() => pdf.doc.lineWidth(1).roundedRect(x, top, width, DRAFT_BOX.height, 4).stroke(INK.red));
  const position = { x: x + DRAFT_BOX.padding, top, leading: DRAFT_BOX.height };
  pdf.writeLine(cover, 'P', text, style, position);
}

interface ContentsRow {
  readonly target: string;
  readonly number: number | null;
  readonly title: string;
  readonly summary: string;
  readonly page: number;
}

const ROW_HEIGHTS = { part: 23, chapter: 15.5, afterChapters: 5 };
const SUMMARY_INDENT = 186;
const CONTENTS_HEAD_HEIGHT = 44;

/** One row for each part, followed by a row for each of its chapters if it has several. */
function contentsRows(parts: readonly Part<ContentsChapter>[]): readonly ContentsRow[] {
  return parts.flatMap(({ number, title, chapters, page }) => {
    const target = partTarget(number);
    const [only, ...others] = chapters;
    if (only && others.length === 0) return [{ target, number, title, summary: only.summary, page }];
    const partRow = { target, number, title, summary: '', page };
    return [partRow, ...chapters.map((chapter) => ({ ...chapter, target: chapter.id, number: null, page }))];
  });
}

interface ContentsChapter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
}

export function paintContents(pdf: TaggedPdf, parts: readonly Part<ContentsChapter>[], table: Piece): void {
  const { doc } = pdf;
  const section = pdf.addElement(pdf.root, 'Sect', { title: 'Contents' });
  pdf.addBookmark('Contents', BODY.top);
  pdf.writeLine(section, 'H2', 'Contents', STYLES.part, { x: BODY.left, top: BODY.top, leading: 28 });
  const list = pdf.addElement(section, 'TOC');
  let top = BODY.top + CONTENTS_HEAD_HEIGHT;
  const rows = contentsRows(parts);
  rows.forEach(({ target, number, title, summary, page }, index) => {
    const height = number === null ? ROW_HEIGHTS.chapter : ROW_HEIGHTS.part;
    if (number !== null && index > 0) {
      if (rows[index - 1]?.number === null) top += ROW_HEIGHTS.afterChapters;
      pdf.drawRule(top, BODY.left, BODY.right);
    }
    const item = pdf.addElement(list, 'TOCI');
    const reference = pdf.addElement(item, 'Reference');
    const link = pdf.addElement(reference, 'Link');
    const style = number === null ? STYLES.cell : { ...STYLES.body, face: 'medium' as const };
    const write = (text: string, format: Style, position: { x: number; right?: number }) =>
      pdf.writeInto(link, 'Link', [[{ text, width: pdf.measure(text, format) }]], format, {
        ...{ top, leading: height },
        ...position,
      });
    if (number !== null) write(`${String(number).padStart(2, '0')} `, STYLES.number, { x: BODY.left });
    write(`${title} `, style, { x: BODY.left + 26 });
    if (summary !== '') write(`${summary} `, STYLES.small, { x: BODY.left + SUMMARY_INDENT });
    write(String(page), STYLES.pageNumber, { x: 0, right: BODY.right });
    const options = { structParent: link, Contents: Object(`${title}, page ${page}`) };
    doc.goTo(BODY.left, top, BODY_WIDTH, height, target, options);
    link.end();
    reference.end();
    item.end();
    top += height;
  });
  list.end();
  table.paint(BODY.bottom - table.height, section);
  section.end();
}

const GOLD_LINE_WIDTH = HAIRLINE + 0.2;

interface PageMarks {
  readonly title: string;
  readonly edition: string;
  /** The note that marks a draft; null if the document is not a draft. */
  readonly draft: string | null;
  readonly warning: string;
  readonly page: number;
  readonly pageCount: number;
}

/** The header and footer of every page except the cover. */
export function paintPageMarks(pdf: TaggedPdf, marks: PageMarks): void {
  const { title, edition, draft, warning, page, pageCount } = marks;
  const headerPosition = { top: 24, leading: 12 };
  pdf.writePageMark(title, STYLES.small, { ...headerPosition, x: BODY.left });
  if (draft !== null)
    pdf.writePageMark(draft, STYLES.warning, { ...headerPosition, x: 0, right: BODY.right });
  const drawLine = () =>
    pdf.doc.lineWidth(GOLD_LINE_WIDTH).moveTo(BODY.left, 42).lineTo(BODY.right, 42).stroke(INK.gold);
  pdf.decorate(drawLine, 'Pagination');
  const footerPosition = { top: 811, leading: LEADING.quiet };
  pdf.writePageMark(`${edition} · ${warning}`, STYLES.small, { ...footerPosition, x: BODY.left });
  pdf.writePageMark(`${page} / ${pageCount}`, STYLES.pageNumber, {
    ...footerPosition,
    x: 0,
    right: BODY.right,
  });
}
