// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOAN_TERMS } from '../../data/model/loan-terms.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { type LoanNoteTexts, loanNotePdf } from './loan-note-pdf.ts';
import { STYLES } from './paper.ts';
import { partsOf } from './parts.ts';
import { hasContent, readPdf } from './testing/read-pdf.ts';
import { readTexts } from './testing/read-texts.ts';
import { plainText } from './text-blocks.ts';

let texts: LoanNoteTexts;
let bytes: Buffer;
let pdf: Awaited<ReturnType<typeof readPdf>>;
let text: string;

const normalizeSpaces = (written: string) => written.replaceAll(/\s+/g, ' ').trim();

beforeAll(async () => {
  texts = await readTexts();
  bytes = await loanNotePdf(texts);
  pdf = await readPdf(bytes);
  text = normalizeSpaces(pdf.pages.map((page) => page.text).join(' '));
}, 60_000);
afterAll(() => pdf.close());

const blocksOf = (chapter: LoanNoteTexts['chapters'][number]) =>
  chapterBlocks({ name: chapter.id, body: chapter.body, facts: texts.facts, origin: texts.origin });

describe('the loan note PDF', () => {
  it('has twelve pages, none blank, each with its number except the cover', () => {
    expect(pdf.pages).toHaveLength(12);
    pdf.pages.forEach((page, index) => {
      expect(normalizeSpaces(page.text).length, `page ${index + 1}`).toBeGreaterThan(200);
      if (index > 0) expect(normalizeSpaces(page.text)).toContain(`${index + 1} / 12`);
      expect(normalizeSpaces(page.text)).toContain('Version 3, 21 November 2026');
    });
  });

  it('begins each part on its own page', async () => {
    const parts = partsOf(texts.parts, texts.chapters);
    for (const { number, title, page } of parts) {
      expect(await pdf.pageOf(`part-${number}`)).toBe(page);
      expect(
        pdf.pages[page - 1]?.elements.filter(({ role }) => role === 'H2'),
        title,
      ).toHaveLength(1);
    }
    expect(parts.map(({ page }) => page)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('has running text of at least 9.5 points', () => {
    expect(STYLES.body.size).toBeGreaterThanOrEqual(9.5);
  });

  it('names the portal as the program that created it', () => {
    expect(pdf.metadata.info).toMatchObject({ Creator: 'BlackDuck portal', Producer: 'BlackDuck portal' });
    expect(bytes.toString('latin1')).not.toContain('PDFKit');
  });

  it('marks each page as a draft until the borrower is named, then names the borrower on the first two pages', async () => {
    const borrower = { name: 'Example Ltd', registration: 'ADGM no. 1234', address: 'Al Maryah Island' };
    const namedPdf = await readPdf(await loanNotePdf({ ...texts, borrower }));
    const normalizedTexts = (pages: typeof pdf.pages) => pages.map((page) => normalizeSpaces(page.text));
    const isDraft = (page: string) => page.includes('Draft, not for distribution');
    expect(normalizedTexts(pdf.pages).map(isDraft)).toEqual(pdf.pages.map(() => texts.borrower === null));
    expect(normalizedTexts(namedPdf.pages).some(isDraft)).toBe(false);
    for (const pageIndex of [0, 1]) {
      expect(normalizedTexts(namedPdf.pages)[pageIndex]).toContain(
        'Example Ltd, ADGM no. 1234, Al Maryah Island',
      );
    }
    await namedPdf.close();
  }, 60_000);

  it('contains every word of its chapters, tables and figures', () => {
    for (const chapter of texts.chapters) {
      expect(text).toContain(chapter.title);
      for (const block of blocksOf(chapter)) {
        const runs =
          block.kind === 'list'
            ? block.items
            : block.kind === 'table'
              ? [...block.head, ...block.rows.flat()]
              : [block.runs];
        for (const one of runs) expect(text).toContain(normalizeSpaces(plainText(one)));
      }
    }
    for (const { term, value, meaning } of texts.terms) {
      for (const part of [term, value, meaning]) expect(text).toContain(part);
    }
    for (const { label, percent, description } of texts.useOfFunds.items) {
      for (const part of [label, `${percent}%`, description]) expect(text).toContain(part);
    }
    for (const { label, value, note } of texts.headline) {
      for (const part of [label, value, note])
        expect(normalizeSpaces(pdf.pages[0]?.text ?? '')).toContain(part);
    }
  });

  it('has the figures from the data model', () => {
    const cover = normalizeSpaces(pdf.pages[0]?.text ?? '');
    expect(cover).toContain(`${LOAN_TERMS.yieldPercent}%`);
    expect(cover).toContain(`${LOAN_TERMS.discountPercent}%`);
    expect(cover).toContain(`$${LOAN_TERMS.capUsd / 1_000_000} million`);
    expect(cover).toContain(`${LOAN_TERMS.termMonths} months`);
    expect(cover).toContain(`$${LOAN_TERMS.minimumUsd / 1_000},000`);
    expect(text).toContain(
      `${LOAN_TERMS.premiumPercent}%, if repaid after ${LOAN_TERMS.premiumAfterMonths} months`,
    );
    expect(text).toContain(LOAN_TERMS.jurisdiction);
    expect(text).toContain(`Within ${LOAN_TERMS.confirmationHours} hours`);
  });

  it('is a tagged PDF that states its title and language', () => {
    const { info, metadata } = pdf.metadata;
    expect(info).toMatchObject({
      Title: 'BlackDuck: Convertible Loan Note',
      Author: 'BlackDuck',
      Language: 'en-GB',
      PDFFormatVersion: '1.7',
    });
    expect(metadata?.getRaw()).toMatch(/<pdfuaid:part>1<\/pdfuaid:part>/);
    const raw = bytes.toString('latin1');
    for (const mark of [
      'Marked true',
      'MarkInfo \\d+ 0 R',
      'StructTreeRoot \\d+ 0 R',
      'DisplayDocTitle true',
    ]) {
      expect(raw).toMatch(new RegExp(`/${mark}`));
    }
  });

  it('has one title, a heading per chapter and part, tables with header cells, and lists with items', () => {
    const allElements = pdf.pages.flatMap(({ elements }) => elements);
    const count = (role: string) =>
      allElements.filter((element) => element.role === role && hasContent(element)).length;
    const blocks = texts.chapters.flatMap(blocksOf);
    const tables = blocks.filter(({ kind }) => kind === 'table').length + 3;
    expect(count('H1')).toBe(1);
    // The table of contents has a heading, too.
    expect(count('H2')).toBe(texts.parts.length + 1);
    const chaptersOfLongParts = texts.parts
      .filter(({ chapters }) => chapters.length > 1)
      .flatMap(({ chapters }) => chapters);
    const headings = blocks.filter(({ kind }) => kind === 'heading').length;
    expect(count('H3') + count('H4')).toBe(headings + chaptersOfLongParts.length);
    expect(count('Table')).toBe(tables);
    expect(count('TH')).toBeGreaterThan(tables * 4);
    expect(count('LI')).toBe(blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])).length);
    expect(count('TOCI')).toBe(texts.parts.length + chaptersOfLongParts.length);
  });

  it('draws the use of funds as one figure with a text alternative', () => {
    const figures = pdf.pages.flatMap(({ elements }) => elements).filter(({ role }) => role === 'Figure');
    expect(figures).toHaveLength(1);
    for (const { label, percent } of texts.useOfFunds.items) {
      expect(figures[0]?.alt).toContain(`${label} ${percent}%`);
    }
  });

  it('links contents and bookmarks to the page of each part and chapter', async () => {
    const parts = partsOf(texts.parts, texts.chapters);
    const chaptersWithin = (part: (typeof parts)[number]) => (part.chapters.length > 1 ? part.chapters : []);
    expect(pdf.outline.map(({ title, items }) => [title, ...items.map((item) => item.title)])).toEqual([
      ['Contents'],
      ...parts.map((part) => [part.title, ...chaptersWithin(part).map(({ title }) => title)]),
    ]);
    const contents = pdf.pages[1];
    const targets = (contents?.links ?? []).flatMap(({ dest }) => (typeof dest === 'string' ? [dest] : []));
    expect(targets).toEqual(
      parts.flatMap((part) => [`part-${part.number}`, ...chaptersWithin(part).map(({ id }) => id)]),
    );
    for (const [index, part] of parts.entries()) {
      expect(await pdf.pageOf(pdf.outline[index + 1]?.dest)).toBe(part.page);
      expect(normalizeSpaces(pdf.pages[part.page - 1]?.text ?? '')).toContain(part.title);
      for (const chapter of chaptersWithin(part)) {
        expect(await pdf.pageOf(chapter.id)).toBe(part.page);
        expect(normalizeSpaces(contents?.text ?? '')).toContain(
          normalizeSpaces(`${chapter.title} ${chapter.summary} ${part.page}`),
        );
      }
    }
  });

  it('has absolute URLs in its links', () => {
    const links = pdf.pages.flatMap((page) => page.links).flatMap(({ url }) => url ?? []);
    expect(links).toContain('https://portal.example/disclaimer');
    expect(links).toContain(`mailto:${texts.facts.supportEmail}`);
  });

  it('embeds every font that it uses', () => {
    const raw = bytes.toString('latin1');
    expect(raw.match(/\/FontFile2 \d+ 0 R/g)).toHaveLength(4);
    expect(raw).not.toMatch(/\/Subtype \/Type1\b/);
  });

  it('has the same bytes for the same texts', async () => {
    expect((await loanNotePdf(texts)).equals(bytes)).toBe(true);
  }, 60_000);

  it.each([
    ['the texts need more pages', (body: string) => `${body}\n\n`.repeat(20), /12 pages.*document\.yaml/],
    ['its fonts lack a character', (body: string) => `From here → there.\n\n${body}`, /"→"/],
  ])(
    'fails if %s',
    async (_case, change, message) => {
      const [first, ...others] = texts.chapters;
      const chapters = first ? [{ ...first, body: change(first.body) }, ...others] : [];
      await expect(loanNotePdf({ ...texts, chapters })).rejects.toThrow(message);
    },
    60_000,
  );

  it.each([
    [
      'a chapter is in no part',
      (parts: Parts) => parts.map((part) => ({ ...part, chapters: part.chapters.slice(0, 1) })),
    ],
    [
      'a part has a chapter that does not exist',
      (parts: Parts) => [{ chapters: ['lost'] }, ...parts.slice(1)],
    ],
    [
      'a part is missing',
      (parts: Parts) => [
        { title: 'Both', chapters: parts.slice(0, 2).flatMap(({ chapters }) => chapters) },
        ...parts.slice(2),
      ],
    ],
  ])('fails if %s', (_case, change) => {
    expect(() => partsOf(change(texts.parts), texts.chapters)).toThrow(/document\.yaml/);
  });
});

type Parts = LoanNoteTexts['parts'];
