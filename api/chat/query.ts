import type { Query } from '../../data/model/search/passage-index.ts';
import { plainText, type Tokenizer, WHAT_IS_TOKEN } from '../../data/model/search/tokenizer.ts';

/** A question with at most this many tokens may leave out what the turn before was about. */
const SHORT = 3;
/** The weight of the turn before, and of the one before that. */
export const EARLIER_WEIGHTS = [0.4, 0.2] as const;
/** Matches the beginning of a question that continues the turn before. */
const CONTINUES = /^(?:and|but|so|ok|okay|what about|how about|also|then|or)\b/;
/** Matches words that stand for what the turn before was about. */
const REFERS = /\b(?:it|its|that|this|them|those|these|one|ones|there|same|they|he|she)\b/;
/** Tokens that exclude each other: a new one replaces the old one. */
const ALTERNATIVES: readonly (readonly string[])[] = [
  ['duckling', 'banker', 'raven'],
  ['minimum', 'maximum'],
  ['day', 'daili', 'month', 'monthli', 'year'],
  ['email', 'chat', 'prioriti'],
  ['price', 'volum', 'vault', 'staker'],
];

const withoutMarks = (tokens: readonly string[]) => tokens.filter((token) => token !== WHAT_IS_TOKEN);

/** Whether a question names something else instead of what a token of the turn before names. */
const isReplaced = (token: string, own: readonly string[]) =>
  ALTERNATIVES.some((group) => group.includes(token) && group.some((other) => own.includes(other)));

/** How a question refers to the turn before: by a word such as "it", or only by being short. */
export function referenceTo(question: string, tokens: readonly string[]): 'word' | 'short' | 'none' {
  const plain = plainText(question).trim();
  const count = withoutMarks(tokens).length;
  if (count > 2 * SHORT) return 'none';
  if (CONTINUES.test(plain) || REFERS.test(plain)) return 'word';
  return count <= SHORT ? 'short' : 'none';
}

/** An earlier question without the words that a later question replaces. */
export function withoutReplaced(turn: string, question: string, { tokensOf, tokenOf }: Tokenizer): string {
  const own = tokensOf(question);
  return turn.replaceAll(/[\p{L}\p{N}]+/gu, (word) => (isReplaced(tokenOf(word) ?? '', own) ? ' ' : word));
}

/**
 * The tokens of a question, completed with those of the turns before.
 * @param earlier the questions before, latest first
 */
export function completeQuery(
  question: string,
  earlier: readonly string[],
  tokensOf: Tokenizer['tokensOf'],
): Query {
  const own = withoutMarks(tokensOf(question));
  const query = new Map(own.map((token) => [token, 1]));
  for (const [index, weight] of EARLIER_WEIGHTS.entries()) {
    const turn = earlier[index];
    if (turn === undefined) break;
    for (const token of withoutMarks(tokensOf(turn))) {
      if (!query.has(token) && !isReplaced(token, own)) query.set(token, weight);
    }
  }
  return query;
}
