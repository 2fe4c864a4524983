import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'astro/zod';
import { parse } from 'yaml';
import type { Translation } from '../../data/model/locale.ts';
import { facts, resolveFacts } from '../content/facts.ts';
import { splitFrontMatter } from '../content/front-matter.ts';
import { LANGUAGES, type Language, translatedPages } from './languages.ts';
import { localizedFacts } from './localized-facts.ts';

/** Texts that only the build needs. Like the files below, this file is in `content/<language>/`. */
const BUILT_TEXTS = 'pages.yaml';
/** Texts of the scripts that every page loads. */
const SHELL_TEXTS = 'shell.yaml';
/** Texts for every page with islands. */
const ISLAND_TEXTS = 'islands.yaml';
/** Additional text files for the islands on certain pages. */
const PAGE_ISLAND_TEXTS: Readonly<Record<string, readonly string[]>> = {
  '/staking': ['stakes.yaml'],
  '/virtual-card': ['stakes.yaml', 'cards.yaml'],
};
const ISLAND_FILES = [ISLAND_TEXTS, ...new Set(Object.values(PAGE_ISLAND_TEXTS).flat())];
/** If several files contain the same text, the last file wins. */
const TEXT_FILES = [BUILT_TEXTS, ...ISLAND_FILES, SHELL_TEXTS];

const pluralForms = z.strictObject({
  zero: z.string().optional(),
  one: z.string().optional(),
  two: z.string().optional(),
  few: z.string().optional(),
  many: z.string().optional(),
  other: z.string(),
});
const textsFile = z.record(z.string(), z.union([z.string(), pluralForms])).nullable();
type Texts = Translation['texts'];

export const factsOf = (language: Language) => localizedFacts(facts, LANGUAGES[language].tag);

const readFileTexts = (path: string) => textsFile.parse(parse(readFileSync(path, 'utf8'))) ?? {};

/** A language's text files, before facts are filled in. */
export const textFiles = (language: Language) =>
  TEXT_FILES.map((file) => ({
    file: `content/${language}/${file}`,
    isOfIslands: ISLAND_FILES.includes(file),
    texts: readFileTexts(`content/${language}/${file}`),
  }));

/** The translations in a file, by English text. In both texts, facts are filled in. @throws {Error} that names the file */
function readTexts(language: Language, file: string): Texts {
  const path = `content/${language}/${file}`;
  try {
    const fileTexts = readFileTexts(path);
    const ownFacts = factsOf(language);
    const resolve = (text: string) => resolveFacts(text, ownFacts);
    return Object.fromEntries(
      Object.entries(fileTexts).map(([english, text]) => [
        resolveFacts(english),
        typeof text === 'string'
          ? resolve(text)
          : Object.fromEntries(Object.entries(text).map(([name, form]) => [name, resolve(form ?? '')])),
      ]),
    );
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

const textsByLanguage = new Map<Language, ReadonlyMap<string, Texts>>();

function textsOf(language: Language): ReadonlyMap<string, Texts> {
  const known = textsByLanguage.get(language);
  // In development, reads the files every time, so that an editor sees a change immediately.
  if (known && !import.meta.env?.DEV) return known;
  const texts = new Map(TEXT_FILES.map((file) => [file, readTexts(language, file)]));
  textsByLanguage.set(language, texts);
  return texts;
}

function translationWith(language: Language, files: readonly string[]): Translation {
  const texts = textsOf(language);
  return {
    tag: LANGUAGES[language].tag,
    prefix: `/${language}`,
    pages: translatedPages(language),
    texts: Object.assign({}, ...files.map((file) => texts.get(file))),
  };
}

export const builtTranslation = (language: Language): Translation => translationWith(language, TEXT_FILES);

/** @param page the path of the English page */
export function scriptTranslation(language: Language, page: string, hasIslands: boolean): Translation {
  const islandFiles = hasIslands ? [ISLAND_TEXTS, ...(PAGE_ISLAND_TEXTS[page] ?? [])] : [];
  return translationWith(language, [...islandFiles, SHELL_TEXTS]);
}

/**
 * The fingerprint of an English file's question and text, without the phrasings for the assistant. A translation records the
 * fingerprint of its English file. If the English text changes later, the fingerprints differ and the translation is outdated.
 */
export function fingerprintOf(english: string): string {
  const { yaml, body } = splitFrontMatter(english);
  const { question = '' } = z.looseObject({ question: z.string().optional() }).parse(parse(yaml) ?? {});
  return createHash('sha256').update(`${question}\n${body.trim()}`).digest('hex').slice(0, 8);
}

const mdxFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mdx'))
    .sort();

/** Folders in which every file needs a translation, because a page shows all of them. */
const FULLY_TRANSLATED_FOLDERS = ['faq/'];

/** The files translated into a language, and those shown in English because the translation is outdated or missing. */
export function coverageOf(language: Language) {
  const ownFiles = mdxFiles(`content/${language}`).filter((file) => file !== 'draft.mdx');
  const english = mdxFiles('content');
  const isOutdated = (file: string) => {
    const { yaml } = splitFrontMatter(readFileSync(`content/${language}/${file}`, 'utf8'));
    const { source } = z.looseObject({ source: z.string() }).parse(parse(yaml));
    return !english.includes(file) || fingerprintOf(readFileSync(`content/${file}`, 'utf8')) !== source;
  };
  return {
    files: ownFiles,
    outdated: ownFiles.filter(isOutdated),
    missing: english.filter(
      (file) =>
        FULLY_TRANSLATED_FOLDERS.some((folder) => file.startsWith(folder)) && !ownFiles.includes(file),
    ),
  };
}
