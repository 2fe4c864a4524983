import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { facts, resolveFacts } from '../../content/facts.ts';
import { splitFrontMatter } from '../../content/front-matter.ts';
import type { LoanNoteChapter, LoanNoteTexts } from '../loan-note-pdf.ts';

const FOLDER = 'content/loan-note';

async function readYaml(file: string) {
  return parse(resolveFacts(await readFile(`${FOLDER}/${file}`, 'utf8')));
}

async function readChapter(file: string): Promise<LoanNoteChapter & { order: number; places: string[] }> {
  const { yaml: fields, body } = splitFrontMatter(await readFile(`${FOLDER}/${file}`, 'utf8'));
  return { id: file.replace('.mdx', ''), body, ...parse(fields) };
}

export async function readTexts(): Promise<LoanNoteTexts> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.mdx'));
  const chapters = await Promise.all(files.map(readChapter));
  const { headline, terms } = await readYaml('terms.yaml');
  const { borrower, parts } = await readYaml('document.yaml');
  return {
    brand: 'BlackDuck',
    title: 'Convertible Loan Note',
    version: 3,
    changedOn: new Date('2026-11-21'),
    borrower,
    parts,
    chapters: chapters.filter(({ places }) => places.includes('pdf')).sort((a, b) => a.order - b.order),
    headline,
    terms,
    useOfFunds: await readYaml('use-of-funds.yaml'),
    facts,
    origin: new URL('https://portal.example'),
  };
}
