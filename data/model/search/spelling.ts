import { plainText } from './tokenizer.ts';

/** Shorter words are not corrected, because too many other words are one letter away. */
const MIN_LENGTH = 4;
/** Words of at least this length may be two edits away from their correction. Shorter words may be only one away. */
const LONG_WORD_LENGTH = 7;
/** Only this many unknown words in a message are corrected, because each is compared with all words of similar length. */
const MAX_CORRECTIONS = 20;
/** Subtracted from the distance of a correction that keeps the first letter, because people rarely get that letter wrong. */
const SAME_FIRST_LETTER_BONUS = 0.3;

/**
 * The smallest number of edits that turn one word into another. An edit inserts, removes or replaces a letter, or swaps two
 * adjacent letters. This is the Damerau–Levenshtein distance, except that no letter is changed twice.
 * @returns null if the distance exceeds `maxDistance`
 */
export function editDistance(one: string, other: string, maxDistance: number): number | null {
  if (Math.abs(one.length - other.length) > maxDistance) return null;
  let rowBeforePrevious: number[] = [];
  let previousRow = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const currentRow = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let distance = Math.min(
        (previousRow[column] ?? 0) + 1,
        (currentRow[column - 1] ?? 0) + 1,
        (previousRow[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwap)
        distance = Math.min(distance, (rowBeforePrevious[column - 2] ?? 0) + 1);
      currentRow.push(distance);
    }
    if (Math.min(...currentRow) > maxDistance) return null;
    rowBeforePrevious = previousRow;
    previousRow = currentRow;
  }
  const distance = previousRow[other.length] ?? 0;
  return distance > maxDistance ? null : distance;
}

export function countWords(texts: readonly string[]): ReadonlyMap<string, number> {
  const wordCounts = new Map<string, number>();
  for (const word of plainText(texts.join(' ')).match(/[a-z]+/g) ?? []) {
    wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1);
  }
  return wordCounts;
}

function letterBits(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index += 1) bits |= 1 << (word.charCodeAt(index) - 97);
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let remainingBits = bits; remainingBits !== 0; remainingBits &= remainingBits - 1) count += 1;
  return count;
}

export interface SpellingCorrector {
  /** Returns the text in lower case without accents, and replaces unknown words with the closest words that the portal uses. */
  readonly correct: (text: string) => string;
}

/**
 * @param wordCounts how often the portal uses each word
 * @param commonWords everyday English words, which are not mistakes even if the portal never uses them
 */
export function createSpellingCorrector(
  wordCounts: ReadonlyMap<string, number>,
  commonWords: ReadonlySet<string>,
): SpellingCorrector {
  const byLength = new Map<number, { candidate: string; count: number; bits: number }[]>();
  for (const [candidate, count] of wordCounts) {
    const { length } = candidate;
    if (length < MIN_LENGTH) continue;
    const sameLength = byLength.get(length) ?? [];
    sameLength.push({ candidate, count, bits: letterBits(candidate) });
    byLength.set(length, sameLength);
  }
  function closestWord(word: string): string {
    const maxDistance = word.length >= LONG_WORD_LENGTH ? 2 : 1;
    const wordBits = letterBits(word);
    let best = { word, cost: Number.POSITIVE_INFINITY };
    for (let length = word.length - maxDistance; length <= word.length + maxDistance; length += 1) {
      for (const { candidate, count, bits } of byLength.get(length) ?? []) {
        // One edit changes at most two letter bits. Comparing the bits first makes the search ten times faster.
        if (countBits(bits ^ wordBits) > 2 * maxDistance) continue;
        const distance = editDistance(word, candidate, maxDistance);
        if (distance === null) continue;
        const isFirstSame = candidate[0] === word[0];
        const cost =
          distance - (isFirstSame ? SAME_FIRST_LETTER_BONUS : 0) - Math.min(0.3, Math.log(count) / 20);
        if (cost < best.cost) best = { word: candidate, cost };
      }
    }
    return best.word;
  }
  function correct(text: string): string {
    let remainingCorrections = MAX_CORRECTIONS;
    return plainText(text).replaceAll(/[a-z]{4,}/g, (word) => {
      if (wordCounts.has(word) || commonWords.has(word) || remainingCorrections === 0) return word;
      remainingCorrections -= 1;
      return closestWord(word);
    });
  }
  return { correct };
}
