import type Database from 'better-sqlite3';

/** Words of a search that are looked for. */
const WORDS_AT_MOST = 8;
/** Letters that the word tables index together. */
const TRIGRAM = 3;

/** What no text in the store holds, and what would end a search text early. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSEARCHABLE = /[\u0000-\u001f\u007f\ud800-\udfff]/g;

/**
 * The parts that all must be in a record. A word of one or two letters is looked for where a word begins: records are
 * kept with two spaces before each word.
 */
function partsOf(search: string): readonly string[] {
  const words = search.normalize('NFC').split(/\s+/u).filter(Boolean);
  return words
    .slice(0, WORDS_AT_MOST)
    .map((word) => ' '.repeat(Math.max(0, TRIGRAM - [...word].length)) + word);
}

/**
 * A search as FTS5 reads it: each part is a string, so nothing in it is read as an operator. Null where nothing of the
 * text can be searched for.
 */
export function matchText(search: string): string | null {
  const parts = partsOf(search.toWellFormed().replace(UNSEARCHABLE, ' '));
  return parts.length === 0 ? null : parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ');
}

/** Text of letters that have no marks, as most is. */
const ASCII = /^\p{ASCII}*$/u;

/** Letters without their marks and case, as the word tables compare them. */
function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Adds `has_words(words, search)` to a connection: whether the words of a record hold what a search looks for. */
export function addHasWords(client: Database.Database): void {
  let last: { readonly search: string; readonly parts: readonly string[] } | null = null;
  client.function('has_words', { deterministic: true }, (words, search) => {
    if (typeof words !== 'string' || typeof search !== 'string') return 0;
    if (last?.search !== search) {
      last = { search, parts: partsOf(search.replace(UNSEARCHABLE, ' ')).map(folded) };
    }
    const text = folded(words);
    return Number(last.parts.every((part) => text.includes(part)));
  });
}
