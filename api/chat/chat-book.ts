import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PassageIndex } from './passage-index.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';

/** The assistant's own messages (`content/duckling/answers.yaml`). */
export const ducklingTexts = z.strictObject({
  greeting: z.string(),
  unknown: z.string(),
  outOfScope: z.string(),
  smallTalk: z.strictObject({ greeting: z.string(), thanks: z.string(), bye: z.string(), how: z.string() }),
  refusals: z.strictObject({
    advice: z.string(),
    orders: z.string(),
    secret: z.string(),
    keepSecret: z.string(),
  }),
  risk: z.string(),
  figures: z.strictObject({
    price: z.string(),
    priceDemo: z.string(),
    staked: z.string(),
    stakers: z.string(),
    vault: z.string(),
    marketCap: z.string(),
    marketCapDemo: z.string(),
    missing: z.string(),
  }),
  wallet: z.strictObject({
    staked: z.string(),
    locked: z.string(),
    severalLocked: z.string(),
    unlocked: z.string(),
    none: z.string(),
    missing: z.string(),
  }),
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
  /** The passages' titles by address. */
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
