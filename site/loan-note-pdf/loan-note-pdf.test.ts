import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOAN_TERMS } from '../../data/model/loan-terms.ts';
import { chapterBlocks } from './chapter-blocks.ts';
import { type LoanNoteWords, loanNoteFileName, loanNotePdf } from './loan-note-pdf.ts';
import { DoesNotFitError } from './page-plan.ts';
import { readPdf, saysSomething } from './testing/read-pdf.ts';
import { readWords } from './testing/read-words.ts';
import { plainText } from './words.ts';

let words: LoanNoteWords;
let bytes: Buffer;
let pdf: Awaited<ReturnType<typeof readPdf>>;
let text: string;

const packed = (written: string) => written.replaceAll(/\s+/g, ' ').trim();

beforeAll(async () => {
  words = await readWords();
  bytes = await loanNotePdf(words);
  pdf = await readPdf(bytes);
  text = packed(pdf.pages.map((page) => page.text).join(' '));
}, 60_000);
afterAll(() => pdf.close());

const blocksOf = (chapter: LoanNoteWords['chapters'][number]) =>
  chapterBlocks({ name: chapter.id, body: chapter.body, facts: words.facts, origin: words.origin });

describe('the loan note as a document', () => {
  it('has twelve pages, none of them blank, and each but the cover with its number', () => {
    expect(pdf.pages).toHaveLength(12);
    pdf.pages.forEach((page, index) => {
      expect(packed(page.text).length, `page ${index + 1}`).toBeGreaterThan(200);
      if (index > 0) expect(packed(page.text)).toContain(`${index + 1} / 12`);
      expect(packed(page.text)).toContain('21 November 2026');
    });
  });

  it('says every word of its chapters, tables and figures', () => {
    for (const chapter of words.chapters) {
      expect(text).toContain(chapter.title);
      for (const block of blocksOf(chapter)) {
        const runs =
          block.kind === 'list'
            ? block.items
            : block.kind === 'table'
              ? [...block.head, ...block.rows.flat()]
              : [block.runs];
        for (const one of runs) expect(text).toContain(packed(plainText(one)));
      }
    }
    for (const { term, value, meaning } of words.terms) {
      for (const part of [term, value, meaning]) expect(text).toContain(part);
    }
    for (const { label, percent, description } of words.useOfFunds.items) {
      for (const part of [label, `${percent}%`, description]) expect(text).toContain(part);
    }
    for (const { label, value, note } of words.headline) {
      for (const part of [label, value, note]) expect(packed(pdf.pages[0]?.text ?? '')).toContain(part);
    }
  });

  it('names the figures that the model has', () => {
    const cover = packed(pdf.pages[0]?.text ?? '');
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

  it('is tagged, in English, under its title', () => {
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
      /\/Marked true/,
      /\/MarkInfo \d+ 0 R/,
      /\/StructTreeRoot \d+ 0 R/,
      /\/DisplayDocTitle true/,
    ]) {
      expect(raw).toMatch(mark);
    }
  });

  it('has one title, a heading a chapter and one a part, tables with heading cells, lists with items', () => {
    const all = pdf.pages.flatMap(({ elements }) => elements);
    const count = (role: string) =>
      all.filter((element) => element.role === role && saysSomething(element)).length;
    const blocks = words.chapters.flatMap(blocksOf);
    const tables = blocks.filter(({ kind }) => kind === 'table').length + 2;
    expect(count('H1')).toBe(1);
    // The contents have a heading too.
    expect(count('H2')).toBe(words.chapters.length + 1);
    expect(count('H3')).toBe(blocks.filter(({ kind }) => kind === 'heading').length);
    expect(count('Table')).toBe(tables);
    expect(count('TH')).toBeGreaterThan(tables * 4);
    expect(count('LI')).toBe(blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])).length);
    expect(count('TOCI')).toBe(words.chapters.length);
  });

  it('draws the use of funds as one figure, and says in words what it shows', () => {
    const figures = pdf.pages.flatMap(({ elements }) => elements).filter(({ role }) => role === 'Figure');
    expect(figures).toHaveLength(1);
    for (const { label, percent } of words.useOfFunds.items) {
      expect(figures[0]?.alt).toContain(`${label} ${percent}%`);
    }
  });

  it('leads from contents and bookmarks to the page that a chapter is on', async () => {
    expect(pdf.outline.map(({ title }) => title)).toEqual([
      'Contents',
      ...words.chapters.map(({ title }) => title),
    ]);
    const contents = pdf.pages[1];
    const targets = (contents?.links ?? []).flatMap(({ dest }) => (typeof dest === 'string' ? [dest] : []));
    expect(targets).toEqual(words.chapters.map(({ id }) => id));
    for (const [index, chapter] of words.chapters.entries()) {
      const page = await pdf.pageOf(chapter.id);
      expect(await pdf.pageOf(pdf.outline[index + 1]?.dest)).toBe(page);
      expect(packed(contents?.text ?? '')).toContain(packed(`${chapter.title} ${chapter.summary} ${page}`));
      expect(packed(pdf.pages[(page ?? 0) - 1]?.text ?? '')).toContain(chapter.title);
    }
  });

  it('links to the portal and to the house by full addresses', () => {
    const links = pdf.pages.flatMap((page) => page.links).flatMap(({ url }) => url ?? []);
    expect(links).toContain('https://portal.example/disclaimer');
    expect(links).toContain(`mailto:${words.facts.supportEmail}`);
  });

  it('holds every font that it uses, and none that a reader would have to have', () => {
    const raw = bytes.toString('latin1');
    expect(raw.match(/\/FontFile2 \d+ 0 R/g)).toHaveLength(4);
    expect(raw).not.toMatch(/\/Subtype \/Type1\b/);
  });

  it('is the same to the byte for the same words', async () => {
    expect((await loanNotePdf(words)).equals(bytes)).toBe(true);
  }, 60_000);

  it('is refused where the words need more pages, or fewer', async () => {
    const [first, ...others] = words.chapters;
    if (!first) throw new Error('The note has no chapters.');
    const long = { ...first, body: `${first.body}\n\n`.repeat(3) };
    await expect(loanNotePdf({ ...words, chapters: [long, ...others] })).rejects.toThrow(DoesNotFitError);
    const short = words.chapters.map((chapter) => ({ ...chapter, body: 'Nothing.' }));
    await expect(loanNotePdf({ ...words, chapters: short })).rejects.toThrow(/12 pages.*page-plan\.ts/);
  }, 60_000);

  it('is refused where its fonts have no sign for a character', async () => {
    const [first, ...others] = words.chapters;
    if (!first) throw new Error('The note has no chapters.');
    const strange = { ...first, body: `${first.body}\n\nFrom here → there.` };
    await expect(loanNotePdf({ ...words, chapters: [strange, ...others] })).rejects.toThrow(
      /no sign for "→"/,
    );
  }, 60_000);

  it('is named for the day of its words', () => {
    expect(loanNoteFileName(new Date('2026-11-21'))).toBe('blackduck-convertible-loan-note-2026-11-21.pdf');
  });
});
