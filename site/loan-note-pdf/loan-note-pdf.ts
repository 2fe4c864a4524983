import type { Facts } from '../content/resolve-facts.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import {
  type ContentsEntry,
  contentsHeight,
  type Headline,
  paintContents,
  paintCover,
  paintPageMarks,
} from './front-matter.ts';
import { DoesNotFitError, PAGE_COUNT, pageSets } from './page-plan.ts';
import { type Placed, spreadOver } from './pagination.ts';
import { BODY, BODY_HEIGHT } from './paper.ts';
import type { Piece } from './piece.ts';
import { blockPieces, chapterHead } from './pieces.ts';
import { drawSwatch, SWATCH_ROOM, shareBarPiece } from './share-bar.ts';
import { type Element, Sheet } from './sheet.ts';
import { tablePiece } from './table-piece.ts';
import type { Run } from './words.ts';

/** A chapter as `content/loan-note` holds it. */
export interface LoanNoteChapter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** MDX without its front matter. */
  readonly body: string;
  readonly data?: 'terms' | 'use-of-funds' | undefined;
}

/** All that the document says. */
export interface LoanNoteWords {
  readonly house: string;
  readonly title: string;
  /** The day of the last change in these words. */
  readonly changedOn: Date;
  /** In their order. */
  readonly chapters: readonly LoanNoteChapter[];
  readonly headline: readonly Headline[];
  readonly terms: readonly { readonly term: string; readonly value: string; readonly meaning: string }[];
  readonly useOfFunds: {
    readonly caption: string;
    readonly items: readonly {
      readonly id: string;
      readonly label: string;
      readonly percent: number;
      readonly description: string;
    }[];
  };
  readonly facts: Facts;
  /** Where links to pages of the portal lead. */
  readonly origin: URL;
}

/** A chapter's piece, with the chapter it belongs to. */
interface ChapterPiece extends Piece {
  readonly chapter: string;
}

const run = (text: string): readonly Run[] => [{ text }];

function termsPieces(sheet: Sheet, { terms }: LoanNoteWords): readonly Piece[] {
  const table = {
    kind: 'table' as const,
    head: ['Term', 'As stated', 'What it means'].map(run),
    rows: terms.map(({ term, value, meaning }) => [term, value, meaning].map(run)),
  };
  return [{ ...tablePiece(sheet, table, { widths: [0.2, 0.28, 0.52] }), above: 9 }];
}

function fundsPieces(sheet: Sheet, { useOfFunds: { caption, items } }: LoanNoteWords): readonly Piece[] {
  const label = `${caption}: ${items.map(({ label, percent }) => `${label} ${percent}%`).join(', ')}`;
  const table = {
    kind: 'table' as const,
    head: ['Use', 'Share', 'What it is for'].map(run),
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
  words: LoanNoteWords,
  chapter: LoanNoteChapter,
  number: number,
): readonly Piece[] {
  const { id: name, body, data } = chapter;
  const { facts, origin } = words;
  const text = blockPieces(sheet, chapterBlocks({ name, body, facts, origin }));
  const table =
    data === 'terms' ? termsPieces(sheet, words) : data === 'use-of-funds' ? fundsPieces(sheet, words) : [];
  return [chapterHead(sheet, { ...chapter, number }), ...text, ...table];
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The document's file name: `blackduck-convertible-loan-note-2026-11-21.pdf`. */
export function loanNoteFileName(changedOn: Date): string {
  return `blackduck-convertible-loan-note-${changedOn.toISOString().slice(0, 10)}.pdf`;
}

/**
 * The loan note as a tagged PDF of exactly twelve pages; the same bytes for the same words.
 * @throws {DoesNotFitError} where the words fill more or fewer pages. {Error} where they hold what the document has no
 * form for.
 */
export async function loanNotePdf(words: LoanNoteWords): Promise<Buffer> {
  const { house, title, chapters, headline, changedOn } = words;
  const subject = chapters[0]?.summary ?? title;
  const sheet = await Sheet.open({ title: `${house}: ${title}`, author: house, subject, date: changedOn });
  const numbered = chapters.map((chapter, index) => ({ ...chapter, number: index + 1 }));
  const pages: (readonly Placed<ChapterPiece>[])[] = [];
  for (const set of pageSets(numbered)) {
    const pieces = set.chapters.flatMap((chapter) =>
      piecesOf(sheet, words, chapter, chapter.number).map((piece) => ({ ...piece, chapter: chapter.id })),
    );
    const taken = pages.length === 0 ? contentsHeight(chapters.length) + AFTER_CONTENTS : 0;
    const spread = spreadOver(pieces, set.pages, BODY_HEIGHT - taken);
    if (!spread) throw new DoesNotFitError(set);
    pages.push(...spread.map((page) => page.map((placed) => ({ ...placed, top: placed.top + taken }))));
  }

  const day = DAY.format(changedOn);
  sheet.doc.addPage();
  paintCover(sheet, { house, title, lead: subject, headline, day });
  const entries: readonly ContentsEntry[] = numbered.map(({ id, number, title, summary }) => ({
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
      title: `${house} · ${title}`,
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
const WARNING = 'You can lose the whole sum. Read the risk disclaimer.';
