/** Offsets of a match. `end` is exclusive. */
export type Match = readonly [start: number, end: number];

/** In a query of several words, a word with fewer letters than this matches only whole words. */
const MIN_SUBSTRING_LENGTH = 3;

const WORD_PATTERN = /[\p{L}\p{N}]+/gu;

export function matchingWords(text: string, isMatch: (word: string) => boolean): readonly Match[] {
  return [...text.matchAll(WORD_PATTERN)]
    .filter(([word]) => isMatch(word))
    .map(({ 0: word, index }): Match => [index, index + word.length]);
}

/**
 * Finds a folded query in a folded text: as one phrase, or else all of its words in any order.
 * @returns the matches in the order of the text; empty if the text does not match
 */
export function exactMatches(text: string, query: string): readonly Match[] {
  const phraseMatches = findAll(text, query);
  if (phraseMatches.length > 0) return phraseMatches;
  const words = query
    .split(' ')
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
  const matches = words.map((word) =>
    word.length < MIN_SUBSTRING_LENGTH ? matchingWords(text, (other) => other === word) : findAll(text, word),
  );
  if (matches.some(({ length }) => length === 0)) return [];
  return matches.flat().toSorted(([a], [b]) => a - b);
}
/**
 * Normalizes text for comparison: lower case, plain quotes and dashes, white space as spaces. The length does not change,
 * so offsets are valid in both texts.
 */
export function fold(text: string): string {
  const plainText = text
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[−–]/g, '-')
    .replace(/\s/g, ' ')
    // Arabic letters that people write in several ways.
    .replace(/[أإآ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه');
  // Keeps a few letters unchanged, such as İ, because their lower case is longer.
  return plainText.replace(/./gu, (letter) => {
    const lowerCase = letter.toLowerCase();
    return lowerCase.length === letter.length ? lowerCase : letter;
  });
}

/** The matches do not overlap. An empty query has no matches. */
function findAll(foldedText: string, foldedQuery: string): readonly Match[] {
  const matches: Match[] = [];
  const { length } = foldedQuery;
  let start = length > 0 ? foldedText.indexOf(foldedQuery) : -1;
  while (start >= 0) {
    matches.push([start, start + length]);
    start = foldedText.indexOf(foldedQuery, start + length);
  }
  return matches;
}

export function foldQuery(query: string): string {
  return fold(query.trim().replace(/\s+/g, ' '));
}
