import { plainText } from './tokenizer.ts';

/** Shorter words are not corrected: too many others are one letter away. */
const MIN_LENGTH = 4;
/** From this length on, a word may differ in two letters. */
const LONG = 7;
/** What a correction that keeps the first letter is better by: people rarely get that one wrong. */
const SAME_FIRST_LETTER = 0.3;

/**
 * The number of letters to insert, remove, replace or swap with their neighbor to turn one word into another (Damerau-
 * Levenshtein, each letter changed once at most). Null if it exceeds `most`.
 */
export function editDistance(one: string, other: string, most: number): number | null {
  if (Math.abs(one.length - other.length) > most) return null;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwap) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    if (Math.min(...current) > most) return null;
    beforeLast = last;
    last = current;
  }
  const distance = last[other.length] ?? 0;
  return distance > most ? null : distance;
}

export interface Spelling {
  /** The text in lower case and without accents, with unknown words replaced by the closest word that the portal uses. */
  readonly correct: (text: string) => string;
}

/**
 * @param uses how often the portal uses each word
 * @param common words of everyday English, which are not mistakes even if the portal never uses them
 */
export function createSpelling(uses: ReadonlyMap<string, number>, common: ReadonlySet<string>): Spelling {
  const candidates = [...uses].filter(([word]) => word.length >= MIN_LENGTH);
  function correctWord(word: string): string {
    if (uses.has(word) || common.has(word)) return word;
    const most = word.length >= LONG ? 2 : 1;
    let best = { word, cost: Number.POSITIVE_INFINITY };
    for (const [candidate, count] of candidates) {
      const distance = editDistance(word, candidate, most);
      if (distance === null) continue;
      const cost =
        distance - (candidate[0] === word[0] ? SAME_FIRST_LETTER : 0) - Math.min(0.3, Math.log(count) / 20);
      if (cost < best.cost) best = { word: candidate, cost };
    }
    return best.word;
  }
  return { correct: (text) => plainText(text).replaceAll(/[a-z]{4,}/g, correctWord) };
}
