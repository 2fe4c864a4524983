import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { facts } from '../../content/facts.ts';
import { resolveFacts } from '../../content/resolve-facts.ts';
import type { LoanNoteChapter, LoanNoteWords } from '../loan-note-pdf.ts';

const FOLDER = 'content/loan-note';

async function yaml(file: string) {
  return parse(resolveFacts(await readFile(`${FOLDER}/${file}`, 'utf8'), facts));
}

async function chapter(file: string): Promise<LoanNoteChapter & { order: number; places: string[] }> {
  const [, head = '', body = ''] =
    /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(await readFile(`${FOLDER}/${file}`, 'utf8')) ?? [];
  return { id: file.replace('.mdx', ''), body, ...parse(head) };
}

/** The words of the loan note as the build has them, read without it. */
export async function readWords(): Promise<LoanNoteWords> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.mdx'));
  const chapters = await Promise.all(files.map(chapter));
  const { headline, terms } = await yaml('terms.yaml');
  return {
    house: 'BlackDuck',
    title: 'Convertible Loan Note',
    changedOn: new Date('2026-11-21'),
    chapters: chapters.filter(({ places }) => places.includes('pdf')).sort((a, b) => a.order - b.order),
    headline,
    terms,
    useOfFunds: await yaml('use-of-funds.yaml'),
    facts,
    origin: new URL('https://portal.example'),
  };
}
