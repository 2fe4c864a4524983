import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOAN_TERMS } from '../../data/model/loan-terms.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { type LoanNoteTexts, loanNotePdf } from './loan-note-pdf.ts';
import { hasContent, readPdf } from './testing/read-pdf.ts';
import { readTexts } from './testing/read-texts.ts';
import { plainText } from './text-blocks.ts';

let texts: LoanNoteTexts;
let bytes: Buffer;
let pdf: Awaited<ReturnType<typeof readPdf>>;
let text: string;

const normalized = (written: string) => written.replaceAll(/\s+/g, ' ').trim();

beforeAll(async () => {
  texts = await readTexts();
  bytes = await loanNotePdf(texts);
  pdf = await readPdf(bytes);
  text = normalized(pdf.pages.map((page) => page.text).join(' '));
}, 60_000);
afterAll(() => pdf.close());

const blocksOf = (chapter: LoanNoteTexts['chapters'][number]) =>
  chapterBlocks({ name: chapter.id, body: chapter.body, facts: texts.facts, origin: texts.origin });

describe('the loan note PDF', () => {
  it('has twelve pages, none blank, each with its number except the cover', () => {
    expect(pdf.pages).toHaveLength(12);
    pdf.pages.forEach((page, index) => {
      expect(normalized(page.text).length, `page ${index + 1}`).toBeGreaterThan(200);
      if (index > 0) expect(normalized(page.text)).toContain(`${index + 1} / 12`);
      expect(normalized(page.text)).toContain('21 November 2026');
    });
  });

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
        for (const one of runs) expect(text).toContain(normalized(plainText(one)));
      }
    }
    for (const { term, value, meaning } of texts.terms) {
      for (const part of [term, value, meaning]) expect(text).toContain(part);
    }
    for (const { label, percent, description } of texts.useOfFunds.items) {
      for (const part of [label, `${percent}%`, description]) expect(text).toContain(part);
    }
    for (const { label, value, note } of texts.headline) {
      for (const part of [label, value, note]) expect(normalized(pdf.pages[0]?.text ?? '')).toContain(part);
    }
  });

  it('has the figures from the data model', () => {
    const cover = normalized(pdf.pages[0]?.text ?? '');
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

  it('is tagged, in English, with its title', () => {
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

  it('has one title, a heading per chapter and part, tables with heading cells, and lists with items', () => {
    const all = pdf.pages.flatMap(({ elements }) => elements);
    const count = (role: string) =>
      all.filter((element) => element.role === role && hasContent(element)).length;
    const blocks = texts.chapters.flatMap(blocksOf);
    const tables = blocks.filter(({ kind }) => kind === 'table').length + 2;
    expect(count('H1')).toBe(1);
    // The table of contents has a heading, too.
    expect(count('H2')).toBe(texts.chapters.length + 1);
    expect(count('H3')).toBe(blocks.filter(({ kind }) => kind === 'heading').length);
    expect(count('Table')).toBe(tables);
    expect(count('TH')).toBeGreaterThan(tables * 4);
    expect(count('LI')).toBe(blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])).length);
    expect(count('TOCI')).toBe(texts.chapters.length);
  });

  it('draws the use of funds as one figure with a text alternative', () => {
    const figures = pdf.pages.flatMap(({ elements }) => elements).filter(({ role }) => role === 'Figure');
    expect(figures).toHaveLength(1);
    for (const { label, percent } of texts.useOfFunds.items) {
      expect(figures[0]?.alt).toContain(`${label} ${percent}%`);
    }
  });

  it('links contents and bookmarks to the page of each chapter', async () => {
    expect(pdf.outline.map(({ title }) => title)).toEqual([
      'Contents',
      ...texts.chapters.map(({ title }) => title),
    ]);
    const contents = pdf.pages[1];
    const targets = (contents?.links ?? []).flatMap(({ dest }) => (typeof dest === 'string' ? [dest] : []));
    expect(targets).toEqual(texts.chapters.map(({ id }) => id));
    for (const [index, chapter] of texts.chapters.entries()) {
      const page = await pdf.pageOf(chapter.id);
      expect(await pdf.pageOf(pdf.outline[index + 1]?.dest)).toBe(page);
      expect(normalized(contents?.text ?? '')).toContain(
        normalized(`${chapter.title} ${chapter.summary} ${page}`),
      );
      expect(normalized(pdf.pages[(page ?? 0) - 1]?.text ?? '')).toContain(chapter.title);
    }
  });

  it('has complete URLs in its links', () => {
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
    ['the texts need more pages', (body: string) => `${body}\n\n`.repeat(3), /12 pages.*page-plan\.ts/],
    ['the texts need fewer pages', () => 'Nothing.', /12 pages.*page-plan\.ts/],
    ['its fonts lack a character', (body: string) => `${body}\n\nFrom here → there.`, /"→"/],
  ])(
    'fails if %s',
    async (_case, change, message) => {
      const chapters = texts.chapters.map((chapter) => ({ ...chapter, body: change(chapter.body) }));
      await expect(loanNotePdf({ ...texts, chapters })).rejects.toThrow(message);
    },
    60_000,
  );
});
