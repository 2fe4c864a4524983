import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PassageIndex } from './passage-index.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';

const texts = <Name extends string>(...names: readonly Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()])) as Record<Name, z.ZodString>);

const figures = ['price', 'priceDemo', 'staked', 'stakers', 'vault', 'marketCap', 'marketCapDemo'] as const;

/** The assistant's own messages (`content/duckling/answers.yaml`). */
export const ducklingTexts = texts('greeting', 'unknown', 'outOfScope', 'risk').extend({
  smallTalk: texts('greeting', 'thanks', 'bye', 'how'),
  refusals: texts('advice', 'orders', 'secret', 'keepSecret'),
  figures: texts(...figures, 'missing'),
  wallet: texts('staked', 'locked', 'severalLocked', 'unlocked', 'none', 'missing'),
});
export type DucklingTexts = z.infer<typeof ducklingTexts>;

/** Each line lists words with the same meaning. */
export const synonymLines = z.array(z.array(z.string().regex(/^[a-z0-9-]+$/)).min(2));

/** What the assistant answers from, as the build writes it. */
const chatBook = z.strictObject({
  passages: z.array(
    z.strictObject({
      href: z.string(),
      title: z.string(),
      page: z.string(),
      text: z.string(),
      askedAs: z.array(z.string()),
    }),
  ),
  synonyms: synonymLines,
  texts: ducklingTexts,
  /** The serialized search index for the passages. */
  index: z.string(),
});
export type ChatBook = z.infer<typeof chatBook>;

/** The book's file in the built site's folder. Files whose name begins with a dot are not served. */
export const CHAT_BOOK_FILE = '.chat-book.json';

/** A book with its search index loaded. */
export interface OpenedBook {
  readonly texts: DucklingTexts;
  readonly tokenizer: Tokenizer;
  readonly passages: PassageIndex;
  /** The passages' titles by `href`. */
  readonly titles: ReadonlyMap<string, string>;
}

/** @throws {z.ZodError} if the text is not a book */
export function openBook(text: string): OpenedBook {
  const { passages, synonyms, texts, index } = chatBook.parse(JSON.parse(text));
  const tokenizer = createTokenizer(synonyms);
  return {
    texts,
    tokenizer,
    passages: new PassageIndex(index, passages, tokenizer),
    titles: new Map(passages.map(({ href, title }) => [href, title])),
  };
}

/** Opens the book at the first question, so that the portal starts without waiting for it. */
export function bookOf(file: string): () => Promise<OpenedBook> {
  let opening: Promise<OpenedBook> | undefined;
  return () => {
    opening ??= readFile(file, 'utf8').then(openBook);
    return opening;
  };
}
