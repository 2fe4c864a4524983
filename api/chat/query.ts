import type { Query } from './passage-index.ts';
import { plainText, type Tokenizer, WHAT_IS_TOKEN } from './tokenizer.ts';

/** A question with at most this many tokens may leave out what the turn before was about. */
const SHORT = 3;
/** The weight of the turn before, and of the one before that. */
const EARLIER_WEIGHTS = [0.6, 0.3] as const;
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

/** Whether a question needs the turn before to be understood. */
export function isElliptical(question: string, tokens: readonly string[]): boolean {
  const plain = plainText(question).trim();
  if (withoutMarks(tokens).length > 2 * SHORT) return false;
  return CONTINUES.test(plain) || REFERS.test(plain) || withoutMarks(tokens).length <= SHORT;
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
      const isReplaced = ALTERNATIVES.some(
        (group) => group.includes(token) && group.some((other) => query.get(other) === 1),
      );
      if (!query.has(token) && !isReplaced) query.set(token, weight);
    }
  }
  return query;
}
