import type { CollectionEntry } from 'astro:content';
import type { FactTexts } from '../content/facts.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { contentsHeight, paintContents, paintCover, paintPageMarks } from './front-matter.ts';
import { PAGE_COUNT, pageCountError, pageSets } from './page-plan.ts';
import { type Piece, type Placed, spreadOver } from './pagination.ts';
import { BODY, BODY_HEIGHT } from './paper.ts';
import { blockPieces, chapterHead } from './pieces.ts';
import { drawSwatch, SWATCH_ROOM, shareBarPiece } from './share-bar.ts';
import { type Element, Sheet } from './sheet.ts';
import { tablePiece } from './table-piece.ts';
import type { Run } from './text-blocks.ts';

/** A chapter of `content/loan-note`. */
export interface LoanNoteChapter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** MDX without its front matter. */
  readonly body: string;
  readonly data?: 'terms' | 'use-of-funds' | undefined;
}

type Terms = CollectionEntry<'loanTerms'>['data'];

export interface LoanNoteTexts extends Readonly<Terms> {
  readonly brand: string;
  readonly title: string;
  /** When the texts last changed. */
  readonly changedOn: Date;
  readonly chapters: readonly LoanNoteChapter[];
  readonly useOfFunds: CollectionEntry<'useOfFunds'>['data'];
  readonly facts: FactTexts;
  /** The origin of links to the portal's pages. */
  readonly origin: URL;
}

interface ChapterPiece extends Piece {
  readonly chapter: string;
}

const run = (text: string): readonly Run[] => [{ text }];

function termsPieces(sheet: Sheet, { terms }: LoanNoteTexts): readonly Piece[] {
  const table = {
    kind: 'table' as const,
    head: ['Term', 'As stated', 'What it means'].map(run),
    rows: terms.map(({ term, value, meaning }) => [term, value, meaning].map(run)),
  };
  return [{ ...tablePiece(sheet, table, { widths: [0.2, 0.28, 0.52] }), above: 9 }];
}

function fundsPieces(sheet: Sheet, { useOfFunds: { caption, items } }: LoanNoteTexts): readonly Piece[] {
  const label = `${caption}: ${items.map(({ label, percent }) => `${label} ${percent}%`).join(', ')}`;
  const table = {
    kind: 'table' as const,
    head: ['Use', 'Share', 'Purpose'].map(run),
    rows: items.map(({ label, percent, description }) => [label, `${percent}%`, description].map(run)),
  };
  const mark = {
    width: SWATCH_ROOM,
    draw: (row: number, x: number, top: number) => drawSwatch(sheet, row, x, top),
  };
  return [
    shareBarPiece(sheet, label, items),
    { ...tablePiece(sheet, table, { widths: [0.24, 0.1, 0.66], caption, mark }), above: 12 },
  ];
}

function piecesOf(
  sheet: Sheet,
  texts: LoanNoteTexts,
  chapter: LoanNoteChapter,
  number: number,
): readonly Piece[] {
  const { id: name, body, data } = chapter;
  const { facts, origin } = texts;
  const text = blockPieces(sheet, chapterBlocks({ name, body, facts, origin }));
  const table =
    data === 'terms' ? termsPieces(sheet, texts) : data === 'use-of-funds' ? fundsPieces(sheet, texts) : [];
  return [chapterHead(sheet, { ...chapter, number }), ...text, ...table];
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The document's file name: `blackduck-convertible-loan-note-2026-11-21.pdf`. */
export function loanNoteFileName(changedOn: Date): string {
  return `blackduck-convertible-loan-note-${changedOn.toISOString().slice(0, 10)}.pdf`;
}

/**
 * The loan note as a tagged PDF of exactly twelve pages. The same texts always produce the same bytes.
 * @throws {Error} if the texts need more or fewer pages, or have content that the PDF cannot show
 */
export async function loanNotePdf(texts: LoanNoteTexts): Promise<Buffer> {
  const { brand, title, chapters, headline, changedOn } = texts;
  const subject = chapters[0]?.summary ?? title;
  const sheet = await Sheet.open({ title: `${brand}: ${title}`, author: brand, subject, date: changedOn });
  const numbered = chapters.map((chapter, index) => ({ ...chapter, number: index + 1 }));
  const pages: (readonly Placed<ChapterPiece>[])[] = [];
  for (const set of pageSets(numbered)) {
    const pieces = set.chapters.flatMap((chapter) =>
      piecesOf(sheet, texts, chapter, chapter.number).map((piece) => ({ ...piece, chapter: chapter.id })),
    );
    const usedHeight = pages.length === 0 ? contentsHeight(chapters.length) + AFTER_CONTENTS : 0;
    const spread = spreadOver(pieces, set.pages, BODY_HEIGHT - usedHeight);
    if (!spread) throw pageCountError(set);
    pages.push(...spread.map((page) => page.map((placed) => ({ ...placed, top: placed.top + usedHeight }))));
  }

  const day = DAY.format(changedOn);
  sheet.doc.addPage();
  paintCover(sheet, { brand, title, lead: subject, headline, day });
  const entries = numbered.map(({ id, number, title, summary }) => ({
    id,
    number,
    title,
    summary,
    page: FIRST_PAGE + pages.findIndex((page) => page.some(({ piece }) => piece.chapter === id)),
  }));
  let open: { readonly id: string; readonly element: Element } | null = null;
  const sectionOf = (id: string) => {
    if (open?.id === id) return open.element;
    open?.element.end();
    const element = sheet.element(sheet.root, 'Sect', {
      title: numbered.find((one) => one.id === id)?.title ?? id,
    });
    open = { id, element };
    return element;
  };
  pages.forEach((placed, index) => {
    sheet.doc.addPage();
    paintPageMarks(sheet, {
      title: `${brand} · ${title}`,
      day,
      warning: WARNING,
      page: index + FIRST_PAGE,
      pages: PAGE_COUNT,
    });
    if (index === 0) paintContents(sheet, entries);
    for (const { piece, top } of placed) piece.paint(BODY.top + top, sectionOf(piece.chapter));
  });
  return sheet.close();
}

const FIRST_PAGE = 2;
const AFTER_CONTENTS = 34;
const WARNING = 'You can lose all of your money. Read the risk disclaimer.';
