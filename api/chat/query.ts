import type { Query } from '../../data/model/search/passage-index.ts';
import { plainText, type Tokenizer, WHAT_IS_TOKEN } from '../../data/model/search/tokenizer.ts';

/** A question with at most this many tokens may be about the subject of the previous question without naming it. */
const MAX_SHORT_TOKENS = 3;
/** The weights of the tokens of the previous question and of the one before it. */
export const EARLIER_WEIGHTS = [0.4, 0.2] as const;
const CONTINUATION = /^(?:and|but|so|ok|okay|what about|how about|also|then|or)\b/;
const REFERENCE_WORD = /\b(?:it|its|that|this|them|those|these|one|ones|there|same|they|he|she)\b/;
/** Groups of tokens that exclude each other. A token in the new question replaces the other tokens of its group. */
const ALTERNATIVES: readonly (readonly string[])[] = [
  ['duckling', 'banker', 'raven'],
  ['minimum', 'maximum'],
  ['day', 'daili', 'month', 'monthli', 'year'],
  ['email', 'chat', 'prioriti'],
  ['price', 'volum', 'vault', 'staker'],
];

const withoutMarks = (tokens: readonly string[]) => tokens.filter((token) => token !== WHAT_IS_TOKEN);

const isReplaced = (token: string, currentTokens: readonly string[]) =>
  ALTERNATIVES.some((group) => group.includes(token) && group.some((other) => currentTokens.includes(other)));

/** How a question refers to the previous one: by a word such as "it", or only by being short. */
export function referenceKind(question: string, tokens: readonly string[]): 'word' | 'short' | 'none' {
  const plain = plainText(question).trim();
  const count = withoutMarks(tokens).length;
  if (count > 2 * MAX_SHORT_TOKENS) return 'none';
  if (CONTINUATION.test(plain) || REFERENCE_WORD.test(plain)) return 'word';
  return count <= MAX_SHORT_TOKENS ? 'short' : 'none';
}

export function withoutReplacedWords(
  turn: string,
  question: string,
  { tokensOf, tokenOf }: Tokenizer,
): string {
  const currentTokens = tokensOf(question);
  return turn.replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
    isReplaced(tokenOf(word) ?? '', currentTokens) ? ' ' : word,
  );
}

/**
 * The tokens of a question. Adds the tokens of up to two earlier questions, with lower weights. Leaves out tokens that the
 * question replaces.
 * @param earlierQuestions latest first
 */
export function completeQuery(
  question: string,
  earlierQuestions: readonly string[],
  tokensOf: Tokenizer['tokensOf'],
): Query {
  const currentTokens = withoutMarks(tokensOf(question));
  const query = new Map(currentTokens.map((token) => [token, 1]));
  for (const [index, weight] of EARLIER_WEIGHTS.entries()) {
    const turn = earlierQuestions[index];
    if (turn === undefined) break;
    for (const token of withoutMarks(tokensOf(turn))) {
      if (!query.has(token) && !isReplaced(token, currentTokens)) query.set(token, weight);
    }
  }
  return query;
}
