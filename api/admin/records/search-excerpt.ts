import type { SearchResult } from '../../../data/contract/admin-search.ts';
import { foldText, searchParts, toPlainLetters } from '../../../data/store/rules/search-words.ts';

/** The length of the context before the first match, and of a whole excerpt, in characters. */
const CONTEXT_LENGTH = 30;
const EXCERPT_LENGTH = 120;

/**
 * Folds a text in the same way as a search does. For each folded character, `originalIndexes` has its index in the original
 * text.
 */
function foldWithIndexes(text: string): {
  readonly text: string;
  readonly originalIndexes: readonly number[];
} {
  let folded = '';
  const originalIndexes: number[] = [];
  let index = 0;
  for (const character of text) {
    const foldedCharacter = foldText(toPlainLetters(character));
    for (let unit = 0; unit < foldedCharacter.length; unit += 1) originalIndexes.push(index);
    folded += foldedCharacter;
    index += character.length;
  }
  originalIndexes.push(index);
  return { text: folded, originalIndexes };
}

type Range = readonly [from: number, to: number];

/** The range of the first match of each part of a search; null for a part without a match. */
function rangesOf(text: string, parts: readonly string[]): readonly (Range | null)[] {
  const folded = foldWithIndexes(text);
  return parts.map((part) => {
    const word = part.trimStart();
    // A search word of one or two characters matches only at the start of a word. `searchParts` puts spaces before it.
    const mustStartWord = part !== word;
    for (let at = folded.text.indexOf(word); at >= 0; at = folded.text.indexOf(word, at + 1)) {
      if (mustStartWord && at > 0 && folded.text[at - 1] !== ' ') continue;
      return [folded.originalIndexes[at] ?? 0, folded.originalIndexes[at + word.length] ?? text.length];
    }
    return null;
  });
}

/** @param ranges may overlap */
function piecesOf(text: string, ranges: readonly Range[]): SearchResult['excerpt'] {
  const sorted = ranges.toSorted(([one], [other]) => one - other);
  const excerptStart = Math.max(0, (sorted[0]?.[0] ?? 0) - CONTEXT_LENGTH);
  const excerptEnd = Math.min(text.length, excerptStart + EXCERPT_LENGTH);
  const pieces: { text: string; isMatch: boolean }[] = [];
  let position = excerptStart;
  const add = (until: number, isMatch: boolean) => {
    if (until <= position) return;
    pieces.push({ text: text.slice(position, until).replaceAll(/\s+/g, ' ').toWellFormed(), isMatch });
    position = until;
  };
  if (excerptStart > 0) pieces.push({ text: '…', isMatch: false });
  for (const [begin, end] of sorted) {
    add(Math.min(begin, excerptEnd), false);
    add(Math.min(end, excerptEnd), true);
  }
  add(excerptEnd, false);
  if (excerptEnd < text.length) pieces.push({ text: '…', isMatch: false });
  return pieces;
}

/**
 * An excerpt of the first field that contains every part of a search. If there is no such field, uses the first field that
 * contains at least one part. Null if no field contains a part.
 * @param fields the texts of a record by field, in the order of preference
 */
export function excerptOf(
  search: string,
  fields: readonly (readonly [field: string, text: string])[],
): Pick<SearchResult, 'field' | 'excerpt'> | null {
  const parts = searchParts(search).map(foldText);
  const fieldMatches = fields.map(([field, text]) => {
    const partRanges = rangesOf(text, parts);
    return { field, text, ranges: partRanges.filter((range) => range !== null) };
  });
  const best =
    fieldMatches.find(({ ranges }) => ranges.length === parts.length) ??
    fieldMatches.find(({ ranges }) => ranges.length > 0);
  return best ? { field: best.field, excerpt: piecesOf(best.text, best.ranges) } : null;
}
