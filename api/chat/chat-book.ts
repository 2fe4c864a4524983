import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PassageIndex } from './passage-index.ts';
import { type WordReader, wordReader } from './words.ts';

/** What the assistant says beside what it finds, as `content/duckling/words.yaml` has it. */
export const ducklingWords = z.strictObject({
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
export type DucklingWords = z.infer<typeof ducklingWords>;

/** Lines of words for the same thing, and ways of asking by the address of a passage. */
export const sameWordLines = z.array(z.array(z.string().regex(/^[a-z0-9-]+$/)).min(2));
export const askedAsLists = z.record(
  z.string().regex(/^\/[\w-]*#[\w-]+$/),
  z.array(z.string().min(3)).min(1),
);

/** Everything that the assistant answers from, as the build writes it. */
export const chatBook = z.strictObject({
  passages: z.array(
    z.strictObject({
      href: z.string(),
      title: z.string(),
      page: z.string(),
      text: z.string(),
      askedAs: z.array(z.string()),
    }),
  ),
  sameWords: sameWordLines,
  words: ducklingWords,
  /** The written index of the passages. */
  index: z.string(),
});
export type ChatBook = z.infer<typeof chatBook>;

/** Where the build puts it, below the folder of the built site: as a file of its own that is not served. */
export const CHAT_BOOK_FILE = '.chat-book.json';

/** A book, opened. */
export interface OpenedBook {
  readonly words: DucklingWords;
  readonly reader: WordReader;
  readonly passages: PassageIndex;
  readonly hrefs: ReadonlySet<string>;
}

/** @throws {z.ZodError} where the text is no book. */
export function openBook(text: string): OpenedBook {
  const { passages, sameWords, words, index } = chatBook.parse(JSON.parse(text));
  const reader = wordReader(sameWords);
  return {
    words,
    reader,
    passages: new PassageIndex(index, passages, reader),
    hrefs: new Set(passages.map(({ href }) => href)),
  };
}

/** Opens the book of a file with the first question, and keeps it: a start does not wait for it. */
export function bookOf(file: string): () => Promise<OpenedBook> {
  let opening: Promise<OpenedBook> | undefined;
  return () => {
    opening ??= readFile(file, 'utf8').then(openBook);
    return opening;
  };
}
