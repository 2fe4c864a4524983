import type { CollectionEntry } from 'astro:content';
import type { FactTexts } from '../content/facts.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { paintContents, paintCover, paintPageMarks } from './cover-and-contents.ts';
import { BODY, BODY_HEIGHT } from './paper.ts';
import { PAGE_COUNT, type Part, type PartSpec, partsOf, tooLongError } from './parts.ts';
import { blockPieces, chapterHead, partHead } from './pieces.ts';
import { drawSwatch, SWATCH_ROOM, shareBarPiece } from './share-bar.ts';
import { type Piece, stack } from './stacking.ts';
import { tablePiece } from './table-piece.ts';
import { TaggedPdf } from './tagged-pdf.ts';
import type { Run } from './text-blocks.ts';

export interface LoanNoteChapter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** MDX without its front matter. */
  readonly body: string;
  readonly table?: 'terms' | 'use-of-funds' | undefined;
}

type Terms = CollectionEntry<'loanTerms'>['data'];

export interface LoanNoteTexts extends Readonly<Terms> {
  readonly brand: string;
  readonly title: string;
  /** The number of recorded changes to the loan note’s page. */
  readonly version: number;
  readonly changedOn: Date;
  /** Null until the borrower is named. Until then the document is a draft. */
  readonly borrower: CollectionEntry<'loanDocument'>['data']['borrower'];
  readonly parts: readonly PartSpec[];
  readonly chapters: readonly LoanNoteChapter[];
  readonly useOfFunds: CollectionEntry<'useOfFunds'>['data'];
  readonly facts: FactTexts;
  /** The origin for links to the portal's pages. */
  readonly origin: URL;
}

const plainRun = (text: string): readonly Run[] => [{ text }];

function termsPieces(pdf: TaggedPdf, { terms }: LoanNoteTexts): readonly Piece[] {
  const table = {
    kind: 'table' as const,
    head: ['Term', 'As stated', 'What it means'].map(plainRun),
    rows: terms.map(({ term, value, meaning }) => [term, value, meaning].map(plainRun)),
  };
  return [{ ...tablePiece(pdf, table, { widths: [0.2, 0.28, 0.52] }), spaceAbove: 9 }];
}

function fundsPieces(pdf: TaggedPdf, { useOfFunds: { caption, items } }: LoanNoteTexts): readonly Piece[] {
  const label = `${caption}: ${items.map(({ label, percent }) => `${label} ${percent}%`).join(', ')}`;
  const table = {
    kind: 'table' as const,
    head: ['Use', 'Share', 'Purpose'].map(plainRun),
    rows: items.map(({ label, percent, description }) => [label, `${percent}%`, description].map(plainRun)),
  };
  const mark = {
    width: SWATCH_ROOM,
    draw: (row: number, x: number, top: number) => drawSwatch(pdf, row, x, top),
  };
  return [
    shareBarPiece(pdf, label, items),
    { ...tablePiece(pdf, table, { widths: [0.24, 0.1, 0.66], caption, mark }), spaceAbove: 12 },
  ];
}

function chapterPieces(
  pdf: TaggedPdf,
  texts: LoanNoteTexts,
  { id: name, body, table }: LoanNoteChapter,
  headingTag: 'H3' | 'H4',
): readonly Piece[] {
  const { facts, origin } = texts;
  const textPieces = blockPieces(pdf, chapterBlocks({ name, body, facts, origin }), headingTag);
  const tablePieces =
    table === 'terms' ? termsPieces(pdf, texts) : table === 'use-of-funds' ? fundsPieces(pdf, texts) : [];
  return [...textPieces, ...tablePieces];
}

function partPieces(pdf: TaggedPdf, texts: LoanNoteTexts, part: Part<LoanNoteChapter>): readonly Piece[] {
  const [only, ...others] = part.chapters;
  const chapters =
    only && others.length === 0
      ? chapterPieces(pdf, texts, only, 'H3')
      : part.chapters.flatMap((chapter) => [
          chapterHead(pdf, chapter),
          ...chapterPieces(pdf, texts, chapter, 'H4'),
        ]);
  return [partHead(pdf, part), ...chapters];
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The document's file name, such as `blackduck-convertible-loan-note-2026-11-21.pdf`. */
export function loanNoteFileName(changedOn: Date): string {
  return `blackduck-convertible-loan-note-${changedOn.toISOString().slice(0, 10)}.pdf`;
}

/**
 * Generates the loan note as a tagged PDF of exactly twelve pages. The same texts always produce the same bytes.
 * @throws {Error} if a part does not fit on its page, or the texts contain something that the PDF cannot show
 */
export async function loanNotePdf(texts: LoanNoteTexts): Promise<Buffer> {
  const { brand, title, chapters, headline, changedOn, version, borrower, facts } = texts;
  const parts = partsOf(texts.parts, chapters);
  const subject = chapters[0]?.summary ?? title;
  const pdf = await TaggedPdf.open({ title: `${brand}: ${title}`, author: brand, subject, date: changedOn });
  const pages = parts.map((part) => {
    const placed = stack(partPieces(pdf, texts, part), BODY_HEIGHT);
    if (!placed) throw tooLongError(part);
    return { part, placed };
  });

  const edition = `Version ${version}, ${DAY_FORMAT.format(changedOn)}`;
  const draft = borrower ? null : DRAFT_TEXT;
  pdf.doc.addPage();
  paintCover(pdf, { brand, title, lead: subject, headline, edition, draft, borrower: borrowerText(texts) });
  const marks = { title: `${brand} · ${title}`, edition, draft, warning: WARNING, pageCount: PAGE_COUNT };
  pdf.doc.addPage();
  paintPageMarks(pdf, { ...marks, page: 2 });
  const table = tablePiece(
    pdf,
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
  paintContents(pdf, parts, table);
  for (const { part, placed } of pages) {
    pdf.doc.addPage();
    paintPageMarks(pdf, { ...marks, page: part.page });
    const element = pdf.addElement(pdf.root, 'Sect', { title: part.title });
    for (const { piece, top } of placed) piece.paint(BODY.top + top, element);
    element.end();
  }
  return pdf.close();
}

const DRAFT_TEXT = 'Draft, not for distribution';
const WARNING = 'You can lose all of your money. Read the risk disclaimer.';

const borrowerText = ({ borrower }: LoanNoteTexts): string =>
  borrower
    ? `${borrower.name}, ${borrower.registration}, ${borrower.address}`
    : 'Not named yet. The signed note must name the borrowing company.';
