/** A search uses at most this many words and ignores the rest. */
const MAX_WORDS = 8;
const TRIGRAM_LENGTH = 3;

/**
 * Control characters and lone surrogates. Stored text contains none except tabs and line feeds, and NUL would end a
 * search text early.
 */
const UNSEARCHABLE = /[\p{Cc}\p{Cs}]/gu;

/**
 * Letters that Unicode does not decompose, and what people type instead if their keyboard lacks them. The stores' migrations
 * repeat this list.
 */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Ø: 'O',
  ø: 'o',
  Đ: 'D',
  đ: 'd',
  Ð: 'D',
  ð: 'd',
  ß: 'ss',
  ẞ: 'SS',
  ı: 'i',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Þ: 'TH',
  þ: 'th',
  Ħ: 'H',
  ħ: 'h',
  Ŧ: 'T',
  ŧ: 't',
  Ŋ: 'N',
  ŋ: 'n',
};
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'gu');

/** Text with plain letters: `Łukasz` → `Lukasz`. Stored words and searches are changed in the same way. */
export const toPlainLetters = (text: string): string =>
  text.replace(NOT_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter);

/**
 * The parts of a search. A record must contain all of them. A word of one or two characters gets spaces in front, so that it
 * matches only the start of a word: the searched text has two spaces before each word.
 */
export function searchParts(search: string): readonly string[] {
  const text = toPlainLetters(search.toWellFormed().replace(UNSEARCHABLE, ' ').normalize('NFC'));
  const words = text.split(/\s+/u).filter(Boolean);
  return words
    .slice(0, MAX_WORDS)
    .map((word) => ' '.repeat(Math.max(0, TRIGRAM_LENGTH - [...word].length)) + word);
}

/** Folds a character outside ASCII, as in `foldText`. If the result is an ASCII letter, it may still be in upper case. */
function foldCharacter(character: string): string {
  const [base = ''] = character.normalize('NFD');
  if (/[a-z]/i.test(base)) return base;
  if (/[\u0300-\u036f]/.test(character)) return '';
  const capital = character.toUpperCase();
  return ([...capital].length === 1 ? capital : character).toLowerCase();
}

/**
 * Text in the form that searches compare: in lower case, and with the diacritics removed from Latin letters. FTS5 with
 * `remove_diacritics 1` does the same, except for letters that have a lower case only in a newer version of Unicode than the one
 * FTS5 uses.
 */
export const foldText = (text: string): string => text.replace(/\P{ASCII}/gu, foldCharacter).toLowerCase();

/** A number for each group of three characters in a text. Different groups may have the same number. */
export function trigramsOf(text: string): readonly number[] {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const trigrams = new Set<number>();
  for (let end = TRIGRAM_LENGTH; end <= points.length; end += 1) {
    trigrams.add(
      points.slice(end - TRIGRAM_LENGTH, end).reduce((hash, point) => (hash * 8_191 + point) | 0, 0),
    );
  }
  return [...trigrams];
}
