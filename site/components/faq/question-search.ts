/** Offsets of a match: its first character, and the one after its last. */
export type Match = readonly [start: number, end: number];

/** A question that a query finds. */
interface Found {
  /** Whether it contains the query, or all its words in any order. Otherwise words are misspelled or synonyms. */
  readonly isExact: boolean;
  readonly matches: readonly Match[];
}

interface Word {
  readonly text: string;
  readonly start: number;
}

/** Words that a close match does not need. */
const FILLERS = new Set(
  `a an and any are be can could did do does for from get have how i if in is it me my of on or should that the there
  this to was what when where which who why will with you your`.split(/\s+/),
);
/** Shorter words are not checked for typing errors, and match only whole words if the query has several. */
const LONG = { substring: 3, misspelled: 4, twoErrors: 8 } as const;

const withoutPlural = (word: string) => word.replace(/(?<=..)s$/, '');

/**
 * Whether one word becomes the other with at most this many typing errors: a letter left out, added or changed, or two
 * letters swapped.
 */
function isMisspelling(typed: string, word: string, errors: number): boolean {
  let same = 0;
  while (same < typed.length && typed[same] === word[same]) same += 1;
  const a = typed.slice(same);
  const b = word.slice(same);
  if (a === '' || b === '') return Math.max(a.length, b.length) <= errors;
  if (errors === 0) return false;
  return (
    isMisspelling(a.slice(1), b, errors - 1) ||
    isMisspelling(a, b.slice(1), errors - 1) ||
    isMisspelling(a.slice(1), b.slice(1), errors - 1) ||
    (a[0] === b[1] && a[1] === b[0] && isMisspelling(a.slice(2), b.slice(2), errors - 1))
  );
}

/**
 * @param texts folded texts
 * @param synonyms each entry lists words with the same meaning
 * @returns a function that finds a folded query, with an entry for each text: null if it does not match
 */
export function questionSearch(
  texts: readonly string[],
  synonyms: readonly (readonly string[])[],
): (query: string) => readonly (Found | null)[] {
  const wordsOf = texts.map((text): readonly Word[] =>
    [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({ text: word, start: index })),
  );
  const vocabulary = new Set([...wordsOf.flat().map(({ text }) => text), ...synonyms.flat()]);

  /** The words that a close match may have in place of the typed one. */
  function similarTo(typed: string): ReadonlySet<string> {
    const isKnown = typed.length < LONG.misspelled || texts.some((text) => text.includes(typed));
    const errors = typed.length < LONG.twoErrors ? 1 : 2;
    const spelled = isKnown ? [typed] : [...vocabulary].filter((word) => isMisspelling(typed, word, errors));
    const meant = new Set(spelled.flatMap((word) => [word, withoutPlural(word)]));
    return new Set([...meant, ...synonyms.filter((group) => group.some((word) => meant.has(word))).flat()]);
  }

  return (query) => {
    const typed = query
      .split(' ')
      .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
      .filter((word) => word !== '');
    const needed = typed
      .filter((word) => !FILLERS.has(word))
      .map((word) => ({ word, similar: similarTo(word) }));

    return texts.map((text, index) => {
      const phrase = findAll(text, query);
      if (phrase.length > 0) return { isExact: true, matches: phrase };
      const words = wordsOf[index] ?? [];
      const rangesOf = (isMeant: (word: string) => boolean) =>
        words
          .filter((word) => isMeant(word.text))
          .map(({ text, start }): Match => [start, start + text.length]);
      const exactly = (word: string) =>
        word.length < LONG.substring ? rangesOf((other) => other === word) : findAll(text, word);
      const exact = allFound(typed.map(exactly));
      if (exact) return { isExact: true, matches: exact };
      const close = allFound(
        needed.map(({ word, similar }) => [
          ...exactly(word),
          ...rangesOf(
            (other) => !other.includes(word) && (similar.has(other) || similar.has(withoutPlural(other))),
          ),
        ]),
      );
      return close && { isExact: false, matches: close };
    });
  };
}

/** The matches of all words in order; null if there is no word, or one does not match. */
function allFound(matches: readonly (readonly Match[])[]): readonly Match[] | null {
  if (matches.length === 0 || matches.some(({ length }) => length === 0)) return null;
  return matches.flat().toSorted(([a], [b]) => a - b);
}

/**
 * Normalizes text for comparison: lower case, plain quotes and dashes, white space as spaces. The length does not change,
 * so offsets are valid in both texts.
 */
export function fold(text: string): string {
  const plain = text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[−–]/g, '-').replace(/\s/g, ' ');
  // The lower case of a few letters, such as İ, is longer.
  return plain.replace(/./gu, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}

/** All matches of a folded query in a folded text, without overlap. An empty query has none. */
export function findAll(foldedText: string, foldedQuery: string): readonly Match[] {
  const matches: Match[] = [];
  const { length } = foldedQuery;
  let start = length > 0 ? foldedText.indexOf(foldedQuery) : -1;
  while (start >= 0) {
    matches.push([start, start + length]);
    start = foldedText.indexOf(foldedQuery, start + length);
  }
  return matches;
}

/** Folds a query, trimmed and with single spaces. */
export function foldQuery(typed: string): string {
  return fold(typed.trim().replace(/\s+/g, ' '));
}
