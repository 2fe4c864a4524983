import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import {
  askedAsLists,
  CHAT_BOOK_FILE,
  type ChatBook,
  ducklingWords,
  sameWordLines,
} from '../api/chat/chat-book.ts';
import { writeIndex } from '../api/chat/passage-index.ts';
import { wordReader } from '../api/chat/words.ts';
import { FACTS } from '../data/model/facts/facts.ts';
import type { BuiltPage } from './built-pages.ts';
import { passagesOf } from './chat-passages.ts';

const FOLDER = 'content/duckling';
/** Pages whose words the assistant answers from. The others are figures, or say the same again. */
const READ_PAGES = [
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
  '/disclaimer',
  '/terms-of-service',
  '/privacy-policy',
];

async function readYaml<S extends z.ZodType>(name: string, schema: S): Promise<z.output<S>> {
  const file = `${FOLDER}/${name}.yaml`;
  const outcome = schema.safeParse(parse(await readFile(file, 'utf8')));
  if (outcome.success) return outcome.data;
  const faults = outcome.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`${file} is wrong:\n${faults.join('\n')}`);
}

/** Facts by name stand in the words as `{{lockDays}}`; what only a moment knows, such as `{value}`, stays. */
function withFacts<T>(words: T): T {
  const known: Readonly<Record<string, string>> = FACTS;
  return JSON.parse(JSON.stringify(words), (_, value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => known[name] ?? whole)
      : value,
  );
}

/**
 * Makes what the assistant answers from out of the built pages and the editor's words.
 * @throws {Error} naming an address for which ways of asking are written though no passage has it, or a file at fault.
 */
export async function makeChatBook(pages: readonly BuiltPage[]): Promise<ChatBook> {
  const [askedAs, sameWords, words] = await Promise.all([
    readYaml('asked-as', askedAsLists),
    readYaml('same-words', sameWordLines),
    readYaml('words', ducklingWords),
  ]);
  const built = pages.filter(({ path }) => READ_PAGES.includes(path)).flatMap(passagesOf);
  const hrefs = new Set(built.map(({ href }) => href));
  const lost = Object.keys(askedAs).filter((href) => !hrefs.has(href));
  if (lost.length > 0) {
    throw new Error(
      `${FOLDER}/asked-as.yaml names passages that no page has: ${lost.join(', ')}. Correct or remove them.`,
    );
  }
  const passages = built.map((passage) => ({ ...passage, askedAs: askedAs[passage.href] ?? [] }));
  return { passages, sameWords, words: withFacts(words), index: writeIndex(passages, wordReader(sameWords)) };
}

/** Writes the book into the built site's folder. */
export async function writeChatBook(pages: readonly BuiltPage[], output: string): Promise<void> {
  await writeFile(join(output, CHAT_BOOK_FILE), JSON.stringify(await makeChatBook(pages)));
}
