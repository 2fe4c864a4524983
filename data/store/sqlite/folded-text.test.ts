import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { foldText } from '../rules/search-words.ts';

/**
 * Letters that SQLite and the code fold differently: their case or diacritics are disputed, or were defined after FTS5's
 * tables were generated.
 */
const EXCEPTIONS = new Set(['ı', 'ǡ', 'Ǡ', 'Ϳ', 'ẛ']);

it('`foldText` folds letters as the word tables do', () => {
  const client = new Database(':memory:');
  client.exec("create virtual table texts using fts5(words, tokenize='trigram remove_diacritics 1')");
  client.exec("create virtual table tokens using fts5vocab(texts, 'instance')");
  const add = client.prepare('insert into texts (rowid, words) values (?, ?)');
  const points = Array.from({ length: 0x2fff }, (_, point) => point);
  const letters = points.filter((point) => {
    const letter = String.fromCodePoint(point);
    return /[\p{L}\p{N}\p{P}\p{S}]/u.test(letter) && !EXCEPTIONS.has(letter) && !isCasedSinceUnicode7(point);
  });
  client.transaction(() => {
    for (const point of letters) add.run(point, `-${String.fromCodePoint(point)}-`);
  })();
  const tokens = client.prepare<[], { doc: number; term: string }>('select doc, term from tokens').all();
  client.close();
  const expected = new Map(tokens.map(({ doc, term }) => [doc, term]));
  expect(expected.size).toBe(letters.length);
  const differing = letters.filter(
    (point) => foldText(`-${String.fromCodePoint(point)}-`) !== expected.get(point),
  );
  expect(differing.map((point) => String.fromCodePoint(point))).toEqual([]);
});

/**
 * Whether a letter has had both an upper and a lower case only since Unicode 7 or later: some Cyrillic, Cherokee, Georgian
 * and Glagolitic letters.
 */
function isCasedSinceUnicode7(point: number): boolean {
  const ranges = [
    [0x528, 0x52e],
    [0x13a0, 0x13f5],
    [0x1c80, 0x1cbf],
    [0x2c2f, 0x2c2f],
  ] as const;
  return ranges.some(([first, last]) => point >= first && point <= last);
}
