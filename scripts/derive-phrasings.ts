import { crc32 } from 'node:zlib';
import { plainText, type Tokenizer, WHAT_IS_TOKEN } from '../data/model/search/tokenizer.ts';
import { type SeededRandom, seededRandom } from '../indexer/ledger/seeded-random.ts';

/** A phrasing, and the previous question if the phrasing makes sense only after that question. */
export interface TargetedPhrasing<Target> {
  readonly text: string;
  readonly earlier?: string;
  readonly target: Target;
  /** Who wrote the phrasing; undefined for phrasings that are stored with the answers. */
  readonly writers?: string;
}

/** The share of phrasings that the classifier also learns as follow-ups to another question. */
const FOLLOW_UP_SHARE = 0.25;
/** A question with more words than this makes sense by itself, so it is not a follow-up. */
const MAX_FOLLOW_UP_TOKENS = 6;
/** The share of phrasings that the classifier also learns with typing errors, and the share of mistyped words in them. */
const MISTYPED_SHARE = 0.12;
const MISTYPED_WORD_SHARE = 0.3;
const MIN_MISTYPED_LENGTH = 5;

/** Swaps two letters inside the word, or drops or doubles one. These are the most common typing errors. */
function mistype(word: string, { next, between }: SeededRandom): string {
  if (word.length < MIN_MISTYPED_LENGTH || next() >= MISTYPED_WORD_SHARE) return word;
  const at = between(1, word.length - 2);
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  const mistakes = [
    before + after.charAt(0) + letter + after.slice(1),
    before + after,
    before + letter + letter + after,
  ];
  return mistakes[between(0, mistakes.length - 1)] ?? word;
}

/** Random numbers that depend only on the phrasing. */
const randomOf = (text: string) => seededRandom(crc32(text));

/**
 * Derives more phrasings from the written ones. Some get typing errors. Some become follow-ups to a question in the same
 * group, and lose the words that occur in that question. For example, "What is the interest of the note?" after "What is
 * the minimum for the note?" becomes "what is the interest?". The result is the same each time. Adding a phrasing
 * hardly changes what is derived from the others.
 * @param groupOf returns the group of a target, or null if there are no follow-ups about the target
 */
export function derivePhrasings<Target>(
  phrasings: readonly TargetedPhrasing<Target>[],
  groupOf: (target: Target) => string | null,
  { tokensOf, tokenOf }: Tokenizer,
): readonly TargetedPhrasing<Target>[] {
  const groups = Map.groupBy(
    phrasings.map(({ text, target }) => ({ text, position: randomOf(text).next(), group: groupOf(target) })),
    ({ group }) => group,
  );
  for (const group of groups.values()) group.sort((one, other) => one.position - other.position);
  const followUp = (
    { text, target }: TargetedPhrasing<Target>,
    random: SeededRandom,
  ): TargetedPhrasing<Target>[] => {
    const group = groupOf(target);
    if (group === null || random.next() >= FOLLOW_UP_SHARE) return [];
    // Each question has a random position. If a random index were used instead, a new phrasing would change all choices.
    const sameGroup = groups.get(group) ?? [];
    const position = random.next();
    const earlier = (sameGroup.find((each) => each.position >= position) ?? sameGroup[0])?.text ?? text;
    const earlierTokens = new Set(tokensOf(earlier));
    const shortened = plainText(text).replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
      earlierTokens.has(tokenOf(word) ?? '') ? '' : word,
    );
    const count = tokensOf(shortened).filter((token) => token !== WHAT_IS_TOKEN).length;
    return count === 0 || count > MAX_FOLLOW_UP_TOKENS ? [] : [{ text: shortened, earlier, target }];
  };
  const withTypingErrors = (
    { text, target }: TargetedPhrasing<Target>,
    random: SeededRandom,
  ): TargetedPhrasing<Target>[] =>
    random.next() < MISTYPED_SHARE
      ? [{ text: text.replaceAll(/\p{L}+/gu, (word) => mistype(word, random)), target }]
      : [];
  return phrasings.flatMap((phrasing) => {
    const random = randomOf(phrasing.text);
    return [...followUp(phrasing, random), ...withTypingErrors(phrasing, random)];
  });
}
