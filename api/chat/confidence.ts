import type { FoundPassage } from '../../data/model/search/passage-index.ts';
import fittedWeights from './confidence-weights.json' with { type: 'json' };

/*
 * The confidence in an answer: the probability that it is correct. It comes from a logistic regression on questions that the
 * classifier was not trained on. `npm run fit-confidence` fits the weights.
 */

/** Written by `scripts/fit-confidence.ts`. */
export const CONFIDENCE_FILE = 'api/chat/confidence-weights.json';

/** Above this similarity, a question counts as one of the known phrasings. */
export const EXACT_SIMILARITY = 0.93;

const logistic = (evidence: number) => 1 / (1 + Math.exp(-evidence));

/** Up to this number of tokens, each additional token makes a question clearer. */
const MANY_TOKENS = 8;
export const relativeLength = (tokenCount: number) => Math.min(tokenCount, MANY_TOKENS) / MANY_TOKENS;

/**
 * The confidence in the best passage, judged only by its wording. Used for passages that the classifier has not learned,
 * such as the team's additions. The same score gives more confidence if the question is long, or if the next passage has a
 * much lower score.
 */
export function wordingConfidence(
  [best, ...others]: readonly FoundPassage[],
  tokenCount: number,
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
      3.72 * relativeLength(tokenCount) +
      (isFollowUp ? 2.02 : 0) +
      (passage.kind === 'fact' ? 0.47 : 0) +
      (passage.kind === 'figure' || passage.kind === 'own-stake' ? 0.85 : 0) +
      (likeness > EXACT_SIMILARITY ? 0.66 : 0),
  );
}

/** The values that the confidence in the best subject is computed from. Probabilities are given as logarithms. */
export interface Evidence {
  /** The total probability of the one or two subjects in the answer. */
  readonly probability: number;
  /** The probability of the best subject that is not part of the answer. */
  readonly next: number;
  /** The probability that nothing on the portal answers the question. */
  readonly nothing: number;
  /** The probability that the question should be refused. */
  readonly refused: number;
  /** How similar the wording of the best subject is to the question, from 0 to 1. */
  readonly wording: number;
  /** `wording` minus the highest similarity of any other subject; negative if another subject is more similar. */
  readonly lead: number;
  /** The total weight of the question's words that no passage contains. Common words have a lower weight than rare ones. */
  readonly unknown: number;
  /** The highest score that the classifier gives to any label, before the softmax. */
  readonly strength: number;
  /** The share of the question that the classifier does not know, from 0 to 1. */
  readonly strange: number;
  /** The number of tokens divided by `MANY_TOKENS`, at most 1. */
  readonly length: number;
  /** The weighted share of the question's words that support the answer, from 0 to 1. */
  readonly explained: number;
  /** 1 if the question names a kind of product that the known questions for this answer never name; else 0. */
  readonly foreignName: number;
  readonly isFollowUp: number;
  readonly isForeign: number;
  /** Whether two subjects answer the question. */
  readonly isTwo: number;
  readonly isFigure: number;
}

interface ConfidenceWeights {
  readonly base: number;
  readonly weights: Readonly<Record<keyof Evidence, number>>;
}

export function evidenceConfidence(
  evidence: Evidence,
  { base, weights }: ConfidenceWeights = fittedWeights,
): number {
  const names = Object.keys(fittedWeights.weights) as (keyof Evidence)[];
  return logistic(names.reduce((sum, name) => sum + (weights[name] ?? 0) * evidence[name], base));
}
