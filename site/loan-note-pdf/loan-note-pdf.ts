import type { CollectionEntry } from 'astro:content';
import type { FactTexts } from '../content/facts.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { paintContents, paintCover, paintPageMarks } from './front-matter.ts';
import { BODY, BODY_HEIGHT } from './paper.ts';
import { PAGE_COUNT, type Part, type PartSpec, partsOf, tooLongError } from './parts.ts';
import { blockPieces, chapterHead, partHead } from './pieces.ts';
import { drawSwatch, SWATCH_ROOM, shareBarPiece } from './share-bar.ts';
import { Sheet } from './sheet.ts';
import { type Piece, stack } from './stacking.ts';
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
  /** Counts the changes of the texts. */
  readonly version: number;
  /** When the texts last changed. */
  readonly changedOn: Date;
  /** Who borrows. While it is null, the document is a draft. */
  readonly borrower: CollectionEntry<'loanDocument'>['data']['borrower'];
  readonly parts: readonly PartSpec[];
  readonly chapters: readonly LoanNoteChapter[];
  readonly useOfFunds: CollectionEntry<'useOfFunds'>['data'];
  readonly facts: FactTexts;
  /** The origin of links to the portal's pages. */
  readonly origin: URL;
}

const plainRun = (text: string): readonly Run[] => [{ text }];

function termsPieces(sheet: Sheet, { terms }: LoanNoteTexts): readonly Piece[] {
  const table = {
    kind: 'table' as const,
    head: ['Term', 'As stated', 'What it means'].map(plainRun),
    rows: terms.map(({ term, value, meaning }) => [term, value, meaning].map(plainRun)),
  };
  return [{ ...tablePiece(sheet, table, { widths: [0.2, 0.28, 0.52] }), above: 9 }];
}

function fundsPieces(sheet: Sheet, { useOfFunds: { caption, items } }: LoanNoteTexts): readonly Piece[] {
  const label = `${caption}: ${items.map(({ label, percent }) => `${label} ${percent}%`).join(', ')}`;
  const table = {
    kind: 'table' as const,
    head: ['Use', 'Share', 'Purpose'].map(plainRun),
    rows: items.map(({ label, percent, description }) => [label, `${percent}%`, description].map(plainRun)),
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

function chapterPieces(
  sheet: Sheet,
  texts: LoanNoteTexts,
  { id: name, body, data }: LoanNoteChapter,
  headings: 'H3' | 'H4',
): readonly Piece[] {
  const { facts, origin } = texts;
  const text = blockPieces(sheet, chapterBlocks({ name, body, facts, origin }), headings);
  const table =
    data === 'terms' ? termsPieces(sheet, texts) : data === 'use-of-funds' ? fundsPieces(sheet, texts) : [];
  return [...text, ...table];
}

function partPieces(sheet: Sheet, texts: LoanNoteTexts, part: Part<LoanNoteChapter>): readonly Piece[] {
  const [only, ...others] = part.chapters;
  const chapters =
    only && others.length === 0
      ? chapterPieces(sheet, texts, only, 'H3')
      : part.chapters.flatMap((chapter) => [
          chapterHead(sheet, chapter),
          ...chapterPieces(sheet, texts, chapter, 'H4'),
        ]);
  return [partHead(sheet, part), ...chapters];
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The document's file name: `blackduck-convertible-loan-note-2026-11-21.pdf`. */
export function loanNoteFileName(changedOn: Date): string {
  return `blackduck-convertible-loan-note-${changedOn.toISOString().slice(0, 10)}.pdf`;
}

/**
 * The loan note as a tagged PDF of exactly twelve pages. The same texts always produce the same bytes.
 * @throws {Error} if a part does not fit on its page, or the texts have content that the PDF cannot show
 */
export async function loanNotePdf(texts: LoanNoteTexts): Promise<Buffer> {
  const { brand, title, chapters, headline, changedOn, version, borrower, facts } = texts;
  const parts = partsOf(texts.parts, chapters);
  const subject = chapters[0]?.summary ?? title;
  const sheet = await Sheet.open({ title: `${brand}: ${title}`, author: brand, subject, date: changedOn });
  const pages = parts.map((part) => {
    const placed = stack(partPieces(sheet, texts, part), BODY_HEIGHT);
    if (!placed) throw tooLongError(part);
    return { part, placed };
  });

  const edition = `Version ${version}, ${DAY_FORMAT.format(changedOn)}`;
  const draft = borrower ? null : DRAFT;
  sheet.doc.addPage();
  paintCover(sheet, { brand, title, lead: subject, headline, edition, draft, borrower: borrowerText(texts) });
  const marks = { title: `${brand} · ${title}`, edition, draft, warning: WARNING, pages: PAGE_COUNT };
  sheet.doc.addPage();
  paintPageMarks(sheet, { ...marks, page: 2 });
  const table = tablePiece(
    sheet,
    {
      kind: 'table',
      head: ['This document', 'As stated'].map(plainRun),
      rows: [
        ['Version', edition],
        ['Borrower', borrowerText(texts)],
        ['Jurisdiction', facts.loanLaw ?? ''],
        ['Contact', facts.supportEmail ?? ''],
      ].map((cells) => cells.map(plainRun)),
    },
    { widths: [0.2, 0.8] },
  );
  paintContents(sheet, parts, table);
  for (const { part, placed } of pages) {
    sheet.doc.addPage();
    paintPageMarks(sheet, { ...marks, page: part.page });
    const element = sheet.element(sheet.root, 'Sect', { title: part.title });
    for (const { piece, top } of placed) piece.paint(BODY.top + top, element);
    element.end();
  }
  return sheet.close();
}

const DRAFT = 'Draft, not for distribution';
const WARNING = 'You can lose all of your money. Read the risk disclaimer.';

const borrowerText = ({ borrower }: LoanNoteTexts): string =>
  borrower
    ? `${borrower.name}, ${borrower.registration}, ${borrower.address}`
    : 'Not named yet. The signed note must name the company that borrows.';
