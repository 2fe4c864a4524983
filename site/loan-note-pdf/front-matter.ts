import type { CollectionEntry } from 'astro:content';
import { rosettesPath } from '../components/cards/guilloche.ts';
import { BODY, BODY_WIDTH, HAIRLINE, INK, LEADING, PAPER, STYLES, type Style } from './paper.ts';
import type { Sheet } from './sheet.ts';

interface CoverTexts {
  readonly brand: string;
  readonly title: string;
  readonly lead: string;
  readonly headline: CollectionEntry<'loanTerms'>['data']['headline'];
  /** The day of the last change to the texts: `'21 November 2026'`. */
  readonly day: string;
}

const GOLD_LINE_TOP = 452;
const MEDALLION_RADIUS = 150;
const COLUMNS = 3;
const HEADLINE_ROW = 92;

/** The cover: the title, the medallion above the gold line, and the key figures below it. */
export function paintCover(sheet: Sheet, { brand, title, lead, headline, day }: CoverTexts): void {
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
  sheet.writeLine(cover, 'P', day, STYLES.small, { x: BODY.left, top: 776, leading: 12 });
  cover.end();
}

interface ContentsEntry {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly summary: string;
  readonly page: number;
}

const ROW = 18.4;
const SUMMARY_INDENT = 176;
const CONTENTS_HEAD = 40;

/** The height of the table of contents in points. */
export function contentsHeight(count: number): number {
  return CONTENTS_HEAD + count * ROW;
}

/** The table of contents: a link to each chapter, with its page number. */
export function paintContents(sheet: Sheet, entries: readonly ContentsEntry[]): void {
  const { doc } = sheet;
  const section = sheet.element(sheet.root, 'Sect', { title: 'Contents' });
  sheet.bookmark('Contents', BODY.top);
  sheet.writeLine(section, 'H2', 'Contents', STYLES.chapter, { x: BODY.left, top: BODY.top, leading: 22 });
  const list = sheet.element(section, 'TOC');
  entries.forEach(({ id, number, title, summary, page }, index) => {
    const top = BODY.top + CONTENTS_HEAD - 8 + index * ROW;
    const position = { top, leading: ROW };
    const item = sheet.element(list, 'TOCI');
    const reference = sheet.element(item, 'Reference');
    const link = sheet.element(reference, 'Link');
    const style = { ...STYLES.cell, face: 'medium' as const };
    const write = (text: string, format: Style, at: { x: number; right?: number }) =>
      sheet.writeInto(link, 'Link', [[{ text, width: sheet.measure(text, format) }]], format, {
        ...position,
        ...at,
      });
    write(`${String(number).padStart(2, '0')} `, STYLES.number, { x: BODY.left });
    write(`${title} `, style, { x: BODY.left + 26 });
    write(`${summary} `, STYLES.small, { x: BODY.left + SUMMARY_INDENT });
    write(String(page), STYLES.pageNumber, { x: 0, right: BODY.right });
    const options = { structParent: link, Contents: Object(`${title}, page ${page}`) };
    doc.goTo(BODY.left, top, BODY_WIDTH, ROW, id, options);
    link.end();
    reference.end();
    item.end();
    sheet.rule(top + ROW, BODY.left, BODY.right);
  });
  list.end();
  section.end();
}

/** The thickness of the line below the header. */
const GOLD_LINE = HAIRLINE + 0.2;

interface PageMarks {
  readonly title: string;
  readonly day: string;
  readonly warning: string;
  readonly page: number;
  readonly pages: number;
}

/** The header and footer of every page except the cover. */
export function paintPageMarks(sheet: Sheet, { title, day, warning, page, pages }: PageMarks): void {
  const above = { top: 40, leading: 12 };
  sheet.pageMark(title, STYLES.small, { ...above, x: BODY.left });
  sheet.pageMark(day, STYLES.small, { ...above, x: 0, right: BODY.right });
  const drawLine = () =>
    sheet.doc.lineWidth(GOLD_LINE).moveTo(BODY.left, 60).lineTo(BODY.right, 60).stroke(INK.gold);
  sheet.decorate(drawLine, 'Pagination');
  const below = { top: 790, leading: LEADING.quiet };
  sheet.pageMark(warning, STYLES.small, { ...below, x: BODY.left });
  sheet.pageMark(`${page} / ${pages}`, STYLES.pageNumber, { ...below, x: 0, right: BODY.right });
}
