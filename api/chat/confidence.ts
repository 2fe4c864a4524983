import type { FoundPassage } from '../../data/model/search/passage-index.ts';
import fitted from './confidence-weights.json' with { type: 'json' };

/*
 * How certain an answer is: the probability that it is right, by logistic regression on questions that the classifier did not
 * learn. `npm run fit-confidence` fits the weights.
 */

/** Written by `scripts/fit-confidence.ts`. */
export const CONFIDENCE_FILE = 'api/chat/confidence-weights.json';

/** From this likeness on a question is one of the known phrasings. */
export const EXACT = 0.93;

const logistic = (evidence: number) => 1 / (1 + Math.exp(-evidence));

/** A question says more about what it asks for up to this number of tokens. */
const MANY_TOKENS = 8;
export const lengthOf = (tokens: number) => Math.min(tokens, MANY_TOKENS) / MANY_TOKENS;

/**
 * How certain the best passage is by its wording alone: for what the classifier has not learned, such as additions of the team.
 * The same score says more about a long question than about a short one, and more if the next passage is far behind.
 */
export function wordingConfidence(
  [best, ...others]: readonly FoundPassage[],
  tokens: number,
  isFollowUp: boolean,
): number {
  if (!best) return 0;
  const { score, likeness, passage } = best;
  const next = others.find((other) => other.passage.href !== passage.href)?.score ?? 0;
  return logistic(
    -4.8 +
      3.08 * score +
      2.69 * score ** 2 +
      0.37 * (score - next) +
      3.72 * lengthOf(tokens) +
      (isFollowUp ? 2.02 : 0) +
      (passage.kind === 'fact' ? 0.47 : 0) +
      (passage.kind === 'figure' || passage.kind === 'own-stake' ? 0.85 : 0) +
      (likeness > EXACT ? 0.66 : 0),
  );
}

/** What says how certain the best subject is. Probabilities are logarithms. */
export interface Evidence {
  /** Of what answers. */
  readonly probability: number;
  /** Of the next subject that does not answer. */
  readonly next: number;
  /** That nothing on the portal answers the question. */
  readonly nothing: number;
  /** That the question gets a refusal. */
  readonly refused: number;
  /** How much the wording of the best subject is like the question, from 0 to 1. */
  readonly wording: number;
  /** How much more that is than of any other subject; less than 0 if another is more like it. */
  readonly lead: number;
  /** The number of words that no passage has. */
  readonly unknown: number;
  /** The highest score that the classifier gives anything, before the softmax. */
  readonly strength: number;
  /** The share of the question that the classifier has never seen, from 0 to 1. */
  readonly strange: number;
  /** The number of tokens, as a share of `MANY_TOKENS`, at most 1. */
  readonly length: number;
  readonly isFollowUp: number;
  readonly isForeign: number;
  /** Whether two subjects answer. */
  readonly isTwo: number;
  readonly isFigure: number;
}

/** How much each part of the evidence says. */
export interface ConfidenceWeights {
  readonly base: number;
  readonly weights: Readonly<Record<keyof Evidence, number>>;
}

export function evidenceConfidence(
  evidence: Evidence,
  { base, weights }: ConfidenceWeights = fitted,
): number {
  const names = Object.keys(fitted.weights) as (keyof Evidence)[];
  return logistic(names.reduce((sum, name) => sum + weights[name] * evidence[name], base));
}
