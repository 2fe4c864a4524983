import { z } from 'zod';
import { PassageIndex } from '../../data/model/search/passage-index.ts';
import { LANGUAGES } from '../../data/model/search/small-words.ts';
import { countWords, createSpelling, type Spelling } from '../../data/model/search/spelling.ts';
import { createTokenizer, type Tokenizer } from '../../data/model/search/tokenizer.ts';
import { tokenWeights } from './group-questions.ts';
import { REQUESTED_FIGURES } from './question-kind.ts';

const texts = <Name extends string>(...names: readonly Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>);

/** The assistant's own messages (`content/duckling/answers.yaml`). */
export const ducklingTexts = texts(...(['greeting', 'unknown', 'didYouMean', 'risk'] as const)).extend({
  smallTalk: texts('greeting', 'thanks', 'bye', 'how'),
  refusals: texts('advice', 'orders', 'secret', 'keepSecret'),
  figures: texts(...REQUESTED_FIGURES, 'demo', 'missing'),
  /** Before an answer to a question in another language, and before none. */
  languages: texts(...LANGUAGES),
  notFound: texts(...LANGUAGES),
  wallet: texts('staked', 'locked', 'severalLocked', 'unlocked', 'none', 'missing'),
});
export type DucklingTexts = z.infer<typeof ducklingTexts>;

/** Each line lists words with the same meaning. */
export const synonymLines = z.array(z.array(z.string().regex(/^[\p{Ll}\p{Lo}0-9-]+$/u)).min(2));

/** What the assistant answers from, as the build writes it. */
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
  /** Words of everyday English, separated by spaces. */
  commonWords: z.string(),
});
export type ChatBook = z.infer<typeof chatBook>;

/** The book's file in the built site's folder. Files whose name begins with a dot are not served. */
export const CHAT_BOOK_FILE = '.chat-book.json';

/** A book that is ready for questions. */
export interface OpenedBook {
  readonly texts: DucklingTexts;
  readonly tokenizer: Tokenizer;
  readonly spelling: Spelling;
  /** Words of everyday English. */
  readonly commonWords: ReadonlySet<string>;
  readonly passages: PassageIndex;
  /** The passages' titles by `href`. */
  readonly titles: ReadonlyMap<string, string>;
  /** How much a token says about a question's subject. */
  readonly weightOf: (token: string) => number;
}

/** @throws {z.ZodError} if the text is not a book */
export const readBook = (text: string): ChatBook => chatBook.parse(JSON.parse(text));

/** Prepares a book for questions. */
export function loadBook({ passages, synonyms, texts, commonWords: words }: ChatBook): OpenedBook {
  const commonWords = new Set(words.split(' '));
  const tokenizer = createTokenizer(synonyms);
  const lines = passages.flatMap(({ title, text: answer, askedAs }) => [title, answer, ...askedAs]);
  const uses = countWords([...lines, ...synonyms.flat()]);
  return {
    texts,
    tokenizer,
    spelling: createSpelling(uses, commonWords),
    commonWords,
    passages: new PassageIndex(passages, tokenizer),
    titles: new Map(
      passages.filter(({ kind }) => kind === 'section').map(({ href, title }) => [href, title]),
    ),
    weightOf: tokenWeights(passages, tokenizer),
  };
}

/** @throws {z.ZodError} if the text is not a book */
export const openBook = (text: string): OpenedBook => loadBook(readBook(text));
