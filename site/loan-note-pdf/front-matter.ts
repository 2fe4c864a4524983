import type { CollectionEntry } from 'astro:content';
import { rosettesPath } from '../components/cards/guilloche.ts';
import { BODY, BODY_WIDTH, HAIRLINE, INK, LEADING, PAPER, STYLES, type Style } from './paper.ts';
import type { Part } from './parts.ts';
import { partTarget } from './pieces.ts';
import type { Element, Sheet } from './sheet.ts';
import type { Piece } from './stacking.ts';

interface CoverTexts {
  readonly brand: string;
  readonly title: string;
  readonly lead: string;
  readonly headline: CollectionEntry<'loanTerms'>['data']['headline'];
  /** Version and date: `'Version 3, 21 November 2026'`. */
  readonly edition: string;
  /** The mark of a draft; null if the document is not a draft. */
  readonly draft: string | null;
  readonly borrower: string;
}

const GOLD_LINE_TOP = 452;
const MEDALLION_RADIUS = 150;
const COLUMNS = 3;
const HEADLINE_ROW = 92;

/** The cover: the title, the medallion above the gold line, and the key figures below it. */
export function paintCover(sheet: Sheet, texts: CoverTexts): void {
  const { brand, title, lead, headline, edition, draft, borrower } = texts;
  const { doc } = sheet;
  sheet.decorate(() => {
    doc.rect(0, 0, PAPER.width, PAPER.height).fill(INK.paper);
    doc.save().rect(0, 0, PAPER.width, GOLD_LINE_TOP).clip();
    doc.translate(BODY.right - MEDALLION_RADIUS, GOLD_LINE_TOP).scale(MEDALLION_RADIUS / 320);
    doc.path(rosettesPath()).lineWidth(0.9).strokeOpacity(0.55).stroke(INK.gold).restore();
    doc.lineWidth(1).moveTo(BODY.left, GOLD_LINE_TOP).lineTo(BODY.right, GOLD_LINE_TOP).stroke(INK.gold);
  });
  const cover = sheet.element(sheet.root, 'Sect', { title });
  sheet.writeLine(cover, 'P', brand, { ...STYLES.heading, size: 12 }, { x: BODY.left, top: 62, leading: 16 });
  const titleLines = sheet.lines([{ text: title }], 300, STYLES.title);
  sheet.write(cover, 'H1', titleLines, STYLES.title, { x: BODY.left, top: 150, leading: 52 });
  const leadLines = sheet.lines([{ text: lead }], 300, STYLES.lead);
  const leadTop = 150 + titleLines.length * 52 + 18;
  sheet.write(cover, 'P', leadLines, STYLES.lead, { x: BODY.left, top: leadTop, leading: 20 });

  const column = BODY_WIDTH / COLUMNS;
  headline.forEach(({ id, label, value, note }, index) => {
    const x = BODY.left + (index % COLUMNS) * column;
    const top = GOLD_LINE_TOP + 26 + Math.floor(index / COLUMNS) * (HEADLINE_ROW + 22);
    const entry = sheet.element(cover, 'Div');
    sheet.writeLine(entry, 'P', label, STYLES.quiet, { x, top, leading: 14 });
    const figure = id === 'risk' ? { ...STYLES.figure, color: INK.red } : STYLES.figure;
    sheet.writeLine(entry, 'P', value, figure, { x, top: top + 18, leading: 30 });
    const lines = sheet.lines([{ text: note }], column - 18, STYLES.small);
    sheet.write(entry, 'P', lines, STYLES.small, { x, top: top + 53, leading: 11 });
    entry.end();
  });
  sheet.rule(GOLD_LINE_TOP + 26 + HEADLINE_ROW + 2, BODY.left, BODY.right);
  if (draft !== null) paintDraftMark(sheet, cover, draft);
  const borrowerLines = sheet.lines([{ text: `Borrower: ${borrower}` }], BODY_WIDTH, STYLES.quiet);
  const leading = LEADING.quiet;
  const borrowerTop = EDITION_TOP - borrowerLines.length * leading;
  sheet.write(cover, 'P', borrowerLines, STYLES.quiet, { x: BODY.left, top: borrowerTop, leading });
  sheet.writeLine(cover, 'P', edition, STYLES.quiet, { x: BODY.left, top: EDITION_TOP, leading });
  cover.end();
}

const EDITION_TOP = 784;
const DRAFT_BOX = { height: 24, padding: 11 };

/** The mark of a draft: a red box at the top right of the cover. */
function paintDraftMark(sheet: Sheet, cover: Element, text: string): void {
  const style = { ...STYLES.warning, size: 11 };
  const width = sheet.measure(text, style) + 2 * DRAFT_BOX.padding;
  const [x, top] = [BODY.right - width, 58];
  sheet.decorate(() =>
    sheet.doc.lineWidth(1).roundedRect(x, top, width, DRAFT_BOX.height, 4).stroke(INK.red),
  );
  const position = { x: x + DRAFT_BOX.padding, top, leading: DRAFT_BOX.height };
  sheet.writeLine(cover, 'P', text, style, position);
}

interface ContentsRow {
  /** The link target. */
  readonly target: string;
  readonly number: number | null;
  readonly title: string;
  readonly summary: string;
  readonly page: number;
}

const ROW = { part: 23, chapter: 15.5, afterChapters: 5 };
const SUMMARY_INDENT = 186;
const CONTENTS_HEAD = 44;

/** A row for each part, and one for each chapter if the part has several. */
function contentsRows(parts: readonly Part<ContentsChapter>[]): readonly ContentsRow[] {
  return parts.flatMap(({ number, title, chapters, page }) => {
    const target = partTarget(number);
    const [only, ...others] = chapters;
    if (only && others.length === 0) return [{ target, number, title, summary: only.summary, page }];
    const own = { target, number, title, summary: '', page };
    return [own, ...chapters.map((chapter) => ({ ...chapter, target: chapter.id, number: null, page }))];
  });
}

interface ContentsChapter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
}

/** The page of contents: links to the parts and chapters, and a table about the document. */
export function paintContents(sheet: Sheet, parts: readonly Part<ContentsChapter>[], table: Piece): void {
  const { doc } = sheet;
  const section = sheet.element(sheet.root, 'Sect', { title: 'Contents' });
  sheet.bookmark('Contents', BODY.top);
  sheet.writeLine(section, 'H2', 'Contents', STYLES.part, { x: BODY.left, top: BODY.top, leading: 28 });
  const list = sheet.element(section, 'TOC');
  let top = BODY.top + CONTENTS_HEAD;
  const rows = contentsRows(parts);
  rows.forEach(({ target, number, title, summary, page }, index) => {
    const height = number === null ? ROW.chapter : ROW.part;
    if (number !== null && index > 0) {
      if (rows[index - 1]?.number === null) top += ROW.afterChapters;
      sheet.rule(top, BODY.left, BODY.right);
    }
    const item = sheet.element(list, 'TOCI');
    const reference = sheet.element(item, 'Reference');
    const link = sheet.element(reference, 'Link');
    const style = number === null ? STYLES.cell : { ...STYLES.body, face: 'medium' as const };
    const write = (text: string, format: Style, at: { x: number; right?: number }) =>
      sheet.writeInto(link, 'Link', [[{ text, width: sheet.measure(text, format) }]], format, {
        ...{ top, leading: height },
        ...at,
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

/** The thickness of the line below the header. */
const GOLD_LINE = HAIRLINE + 0.2;

interface PageMarks {
  readonly title: string;
  readonly edition: string;
  /** The mark of a draft; null if the document is not a draft. */
  readonly draft: string | null;
  readonly warning: string;
  readonly page: number;
  readonly pages: number;
}

/** The header and footer of every page except the cover. */
export function paintPageMarks(sheet: Sheet, marks: PageMarks): void {
  const { title, edition, draft, warning, page, pages } = marks;
  const above = { top: 24, leading: 12 };
  sheet.pageMark(title, STYLES.small, { ...above, x: BODY.left });
  if (draft !== null) sheet.pageMark(draft, STYLES.warning, { ...above, x: 0, right: BODY.right });
  const drawLine = () =>
    sheet.doc.lineWidth(GOLD_LINE).moveTo(BODY.left, 42).lineTo(BODY.right, 42).stroke(INK.gold);
  sheet.decorate(drawLine, 'Pagination');
  const below = { top: 811, leading: LEADING.quiet };
  sheet.pageMark(`${edition} · ${warning}`, STYLES.small, { ...below, x: BODY.left });
  sheet.pageMark(`${page} / ${pages}`, STYLES.pageNumber, { ...below, x: 0, right: BODY.right });
}
