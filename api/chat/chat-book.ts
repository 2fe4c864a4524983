import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LANGUAGES } from '../../data/model/search/foreign-words.ts';
import { type Passage, PassageIndex } from '../../data/model/search/passage-index.ts';
import {
  countWords,
  createSpellingCorrector,
  type SpellingCorrector,
} from '../../data/model/search/spelling.ts';
import { createTokenizer, type Tokenizer } from '../../data/model/search/tokenizer.ts';
import {
  APPLICATION_STATUSES,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
  shownStatuses,
} from '../../data/model/submission-status.ts';
import {
  CLASSIFIER_FILE,
  decodeClassifier,
  type QuestionClassifier,
} from './classifier/question-classifier.ts';
import { createWeightOf } from './group-questions.ts';
import { REQUESTED_FIGURES } from './question-kind.ts';

const textsSchema = <Name extends string>(...names: readonly Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>);

const WALLET_SUBMISSION_KINDS = SUBMISSION_KINDS.filter((kind) => kind !== 'loan-application');

/** The assistant's own messages (`content/duckling/answers.yaml`). */
export const ducklingTexts = textsSchema(...(['greeting', 'unknown', 'didYouMean', 'risk'] as const)).extend({
  smallTalk: textsSchema('greeting', 'thanks', 'bye', 'how'),
  refusals: textsSchema('advice', 'orders', 'secret', 'keepSecret'),
  figures: textsSchema(...REQUESTED_FIGURES, 'demo', 'demoLedger', 'missing'),
  /** For questions in other languages: `languages` precedes answers and suggestions, `notFound` precedes `unknown`. */
  languages: textsSchema(...LANGUAGES),
  notFound: textsSchema(...LANGUAGES),
  wallet: textsSchema('staked', 'locked', 'severalLocked', 'unlocked', 'none', 'missing', 'invalid'),
  records: textsSchema('found', 'record', 'none', 'noneOfKind', 'loan', 'missing', 'prove').extend({
    kinds: textsSchema(...WALLET_SUBMISSION_KINDS),
    states: textsSchema(...shownStatuses([...APPLICATION_STATUSES, ...REQUEST_STATUSES])),
    next: z.strictObject({
      'card-application': textsSchema(...shownStatuses(APPLICATION_STATUSES)),
      'verification-request': textsSchema(...shownStatuses(REQUEST_STATUSES)),
      'contact-message': textsSchema('received'),
    }),
  }),
});
export type DucklingTexts = z.infer<typeof ducklingTexts>;

/** Each line lists words with the same meaning. */
export const synonymLines = z.array(z.array(z.string().regex(/^[\p{Ll}\p{Lo}0-9-]+$/u)).min(2));

/** The material that the assistant answers from, as the build writes it. */
const chatBook = z.strictObject({
  passages: z.array(
    z.strictObject({
      href: z.string(),
      title: z.string(),
      page: z.string(),
      text: z.string(),
      askedAs: z.array(z.string()),
      kind: z.enum(['section', 'fact', 'figure', 'own-stake']),
      figure: z.string().optional(),
    }),
  ),
  synonyms: synonymLines,
  texts: ducklingTexts,
  /** For each kind of product, the names of products other than the portal's, separated by spaces. */
  names: z.record(z.string(), z.string()),
  /** Common English words, separated by spaces. */
  commonWords: z.string(),
  /** Other words that people use in questions, separated by spaces. */
  words: z.string(),
});
export type ChatBook = z.infer<typeof chatBook>;

/** The book's file in the built site's folder. Files with names that begin with a dot are not served. */
export const CHAT_BOOK_FILE = '.chat-book.json';

export interface OpenedBook {
  readonly texts: DucklingTexts;
  readonly tokenizer: Tokenizer;
  readonly spelling: SpellingCorrector;
  readonly commonWords: ReadonlySet<string>;
  readonly passages: PassageIndex;
  /** Null if the book has no classifier. Then passages are found by their wording alone. */
  readonly classifier: QuestionClassifier | null;
  /** The classifier's label for each passage that it knows. */
  readonly passageLabels: ReadonlyMap<Passage, number>;
  /** The passages' titles by `href`. */
  readonly titles: ReadonlyMap<string, string>;
  /** How much a token says about a question's subject. */
  readonly weightOf: (token: string) => number;
}

/** @throws {z.ZodError} if the text is not a book */
export const readBook = (text: string): ChatBook => chatBook.parse(JSON.parse(text));

/** @param classifier knows only the passages that the build wrote, which come first in the book */
export function loadBook(
  { passages, synonyms, texts, names, commonWords: common, words }: ChatBook,
  classifier: QuestionClassifier | null = null,
): OpenedBook {
  const commonWords = new Set(common.split(' '));
  const kindsOfNames = Object.entries(names).flatMap(([kind, all]) =>
    all.split(' ').map((name) => [name, kind] as const),
  );
  const tokenizer = createTokenizer(synonyms, new Map(kindsOfNames));
  const lines = passages.flatMap(({ title, text: answer, askedAs }) => [title, answer, ...askedAs]);
  const wordCounts = countWords([...lines, ...synonyms.flat(), words]);
  return {
    texts,
    tokenizer,
    spelling: createSpellingCorrector(
      wordCounts,
      new Set([...commonWords, ...kindsOfNames.map(([name]) => name)]),
    ),
    commonWords,
    passages: new PassageIndex(passages, tokenizer),
    classifier,
    passageLabels: new Map(
      passages.slice(0, classifier?.passageCount ?? 0).map((passage, label) => [passage, label]),
    ),
    titles: new Map(
      passages.filter(({ kind }) => kind === 'section').map(({ href, title }) => [href, title]),
    ),
    weightOf: createWeightOf(passages, tokenizer),
  };
}

/**
 * Reads the files that the build wrote to a folder.
 * @throws {z.ZodError | Error} if they are not a book, or not from the same build
 */
export async function readBuiltBook(
  folder: string,
): Promise<{ readonly book: ChatBook; readonly classifier: QuestionClassifier }> {
  const book = readBook(await readFile(join(folder, CHAT_BOOK_FILE), 'utf8'));
  const bytes = await readFile(join(folder, CLASSIFIER_FILE));
  return { book, classifier: decodeClassifier(bytes, book.passages.length) };
}
