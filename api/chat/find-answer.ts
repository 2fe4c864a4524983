import type { FoundPassage, Passage } from '../../data/model/search/passage-index.ts';
import type { OpenedBook } from './chat-book.ts';
import { sumOf } from './classifier/feature-table.ts';
import { QUESTION_KINDS, type QuestionKind } from './classifier/question-classifier.ts';
import { featuresOf, productKindFeature, productKindsIn } from './classifier/question-features.ts';
import {
  type Evidence,
  EXACT_SIMILARITY,
  evidenceConfidence,
  relativeLength,
  wordingConfidence,
} from './confidence.ts';
import { completeQuery, EARLIER_WEIGHTS, referenceKind, withoutReplacedWords } from './query.ts';

interface Candidate extends FoundPassage {
  /** The probability that the question asks for this passage; 0 if the classifier does not know the passage. */
  readonly probability: number;
  readonly rank: number;
}

/** A section of a page, with the facts in it. */
export interface Subject {
  readonly href: string;
  /** Best first. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  readonly probability: number;
  readonly rank: number;
}

export interface FoundSubjects {
  /** The best subject, and the next one if its probability is high enough to answer the question too (`MIN_SHARE_OF_BEST`). */
  readonly answers: readonly Subject[];
  /** Best first. */
  readonly subjects: readonly Subject[];
  /** The probability that `answers` are correct. */
  readonly confidence: number;
  /** The values that the confidence was computed from; null if it is based on the wording alone. */
  readonly evidence: Evidence | null;
  /**
   * The probability of each kind of message. Without a classifier, every message counts as a question that a passage may
   * answer.
   */
  readonly kinds: Readonly<Record<QuestionKind, number>>;
}

interface FindOptions {
  readonly book: OpenedBook;
  /** The earlier questions, latest first, with typing errors corrected. */
  readonly earlier?: readonly string[];
  /** Whether the visitor has a proven wallet, so that the answer can be about that wallet's stake. */
  readonly hasWallet?: boolean;
  /** Whether the question is not in English. If so, words that no passage contains do not lower the scores. */
  readonly isForeign?: boolean;
}

/** The weights of words that no passage contains. A rare word may be the subject; a common one rarely is. */
const UNKNOWN_WEIGHT = { rare: 1, common: 0.6 } as const;
/** Added to each probability, so that the wording can still decide if the classifier rules a passage out. */
const PROBABILITY_OFFSET = 1e-3;
/** How much the best possible wording adds to the logarithm of a probability. */
const WORDING_WEIGHT = 1;
/** A phrasing or an answer that the team added is used if it is the best match and has at least this confidence. */
const TEAM_ANSWER_THRESHOLD = 0.86;

/**
 * Matches a "what" question. If no other word is left to search for ("what do you do"), the question is about the project.
 */
const WHAT_QUESTION = /\bwhat (?:do|are|is|does)\b/i;
const PROJECT_QUESTION = 'what is blackduck';

/** The next subject is part of the answer if it has at least this share of the best subject's probability. */
const MIN_SHARE_OF_BEST = 0.15;

const logProbability = (probability: number) => Math.log(probability + PROBABILITY_OFFSET);
const rankOf = (probability: number, wording: number) =>
  logProbability(probability) + WORDING_WEIGHT * wording;
const byRank = (one: { readonly rank: number }, other: { readonly rank: number }) => other.rank - one.rank;
const largest = (values: readonly number[]) => Math.max(0, ...values);

/** @param passages in any order */
function subjectsOf(passages: readonly Omit<Candidate, 'rank'>[]): readonly Subject[] {
  const byHref = new Map<string, Candidate[]>();
  for (const foundPassage of passages) {
    const { href } = foundPassage.passage;
    const candidate = { ...foundPassage, rank: rankOf(foundPassage.probability, foundPassage.score) };
    byHref.set(href, [...(byHref.get(href) ?? []), candidate]);
  }
  return [...byHref]
    .flatMap(([href, candidates]) => {
      const [best, ...rest] = candidates.sort(byRank);
      if (!best) return [];
      const probability = candidates.reduce((sum, each) => sum + each.probability, 0);
      const rank = rankOf(probability, largest(candidates.map(({ score }) => score)));
      return [{ href, candidates: [best, ...rest] as const, probability, rank }];
    })
    .sort(byRank);
}

/** Runs the classifier. Passages that are not allowed get no probability, and the other probabilities are scaled up. */
function classify(
  question: string,
  turns: readonly string[],
  { classifier, tokenizer, passageLabels }: OpenedBook,
  isAllowed: (passage: Passage) => boolean,
): {
  readonly byPassage: ReadonlyMap<Passage, number>;
  readonly kinds: FoundSubjects['kinds'];
  strength: number;
  strange: number;
} {
  if (!classifier) return { byPassage: new Map(), kinds: kindsOf([1]), strength: 0, strange: 0 };
  const vectorOf = (text: string) => classifier.features.vectorOf(featuresOf(text, tokenizer));
  const earlierVectors = EARLIER_WEIGHTS.flatMap((weight, index) => {
    const turn = turns[index];
    return turn === undefined
      ? []
      : [[vectorOf(withoutReplacedWords(turn, question, tokenizer)), weight] as const];
  });
  const questionVector = sumOf([vectorOf(question), 1], ...earlierVectors);
  const probabilities = classifier.passageProbabilities(questionVector);
  const allowedLabels = [...passageLabels].filter(([passage]) => isAllowed(passage));
  const excludedLabels = [...passageLabels].filter(([passage]) => !isAllowed(passage));
  const allowedProbability =
    1 - excludedLabels.reduce((all, [, label]) => all + (probabilities[label] ?? 0), 0);
  return {
    byPassage: new Map(
      allowedLabels.map(([passage, label]) => [passage, (probabilities[label] ?? 0) / allowedProbability]),
    ),
    kinds: kindsOf(classifier.kindProbabilities(questionVector)),
    strength: classifier.strength(questionVector),
    strange: vectorOf(question).unknownShare,
  };
}

/** How well the passages of the answers account for the words of a question. */
function explain(
  question: string,
  answers: readonly Subject[],
  { classifier, tokenizer, passageLabels }: OpenedBook,
): Pick<Evidence, 'explained' | 'foreignName'> {
  if (!classifier) return { explained: 0, foreignName: 0 };
  const { features } = classifier;
  const labels = new Set(
    answers.flatMap(({ candidates }) =>
      candidates.flatMap(({ passage }) => passageLabels.get(passage) ?? []),
    ),
  );
  const wordVector = features.wordVectorOf(featuresOf(question, tokenizer));
  let supportingWeight = 0;
  let totalWeight = 0;
  for (const [index, featureIndex] of wordVector.indexes.entries()) {
    const square = (wordVector.values[index] ?? 0) ** 2;
    totalWeight += square;
    if (classifier.supports(featureIndex, labels)) supportingWeight += square;
  }
  const isUnusual = (kind: string) =>
    !classifier.supports(features.indexOf(productKindFeature(kind)), labels);
  return {
    explained: (supportingWeight / (totalWeight || 1)) * (1 - wordVector.unknownShare),
    foreignName: Number(productKindsIn(question, tokenizer).some(isUnusual)),
  };
}

const kindsOf = (probabilities: ArrayLike<number>) =>
  Object.fromEntries(
    QUESTION_KINDS.map((kind, index) => [kind, probabilities[index] ?? 0]),
  ) as FoundSubjects['kinds'];

/** @param question with typing errors corrected */
export function findAnswer(question: string, options: FindOptions): FoundSubjects {
  const { book, earlier = [], hasWallet = false, isForeign = false } = options;
  const { tokenizer, passages, commonWords } = book;
  const tokens = tokenizer.tokensOf(question);
  if (tokens.length === 0 && earlier.length === 0 && WHAT_QUESTION.test(question)) {
    return findAnswer(PROJECT_QUESTION, { book });
  }
  const unknownWeight = (question.match(/\p{L}{3,}/gu) ?? []).reduce((sum, word) => {
    const token = tokenizer.tokenOf(word);
    if (isForeign || token === null || passages.knows(token)) return sum;
    return sum + (commonWords.has(word) ? UNKNOWN_WEIGHT.common : UNKNOWN_WEIGHT.rare);
  }, 0);

  const search = (turns: readonly string[]): FoundSubjects => {
    const isFollowUp = turns.length > 0;
    const isAllowed = ({ kind }: Passage) => kind !== 'own-stake' || (hasWallet && !isFollowUp);
    const { byPassage, kinds, strength, strange } = classify(question, turns, book, isAllowed);
    const wordingMatches = passages
      .find(completeQuery(question, turns, tokenizer.tokensOf), unknownWeight)
      .filter(({ passage }) => isAllowed(passage));
    const matchByPassage = new Map(wordingMatches.map((found) => [found.passage, found]));
    const passagesWithoutMatch = [...byPassage.keys()]
      .filter((passage) => !matchByPassage.has(passage))
      .map((passage) => ({ passage, score: 0, likeness: 0, parts: [] }));
    const subjects = subjectsOf(
      [...wordingMatches, ...passagesWithoutMatch].map((found) => ({
        ...found,
        probability: byPassage.get(found.passage) ?? 0,
      })),
    );
    const confidenceByWording = wordingConfidence(wordingMatches, tokens.length, isFollowUp);
    const [best, next] = subjects;
    if (!best || !book.classifier) {
      return {
        answers: subjects.slice(0, 1),
        subjects,
        confidence: confidenceByWording,
        evidence: null,
        kinds,
      };
    }
    const teamPassage = wordingMatches.find(
      ({ passage }) => passage.askedAs.length > 0 || !book.passageLabels.has(passage),
    );
    if (teamPassage === wordingMatches[0] && teamPassage && confidenceByWording >= TEAM_ANSWER_THRESHOLD) {
      const teamSubjects = subjects.filter(({ href }) => href === teamPassage.passage.href);
      const otherSubjects = subjects.filter(({ href }) => href !== teamPassage.passage.href);
      const orderedSubjects = [...teamSubjects, ...otherSubjects];
      return {
        answers: teamSubjects,
        subjects: orderedSubjects,
        confidence: confidenceByWording,
        evidence: null,
        kinds,
      };
    }
    const isNear = next !== undefined && next.probability >= best.probability * MIN_SHARE_OF_BEST;
    const answers = isNear ? [best, next] : [best];
    const score = largest(best.candidates.map((each) => each.score));
    const scoreOfOther = wordingMatches.find(({ passage }) => passage.href !== best.href)?.score ?? 0;
    const evidence: Evidence = {
      ...explain(question, answers, book),
      probability: logProbability(answers.reduce((sum, { probability }) => sum + probability, 0)),
      next: logProbability(subjects[answers.length]?.probability ?? 0),
      nothing: logProbability(kinds['out-of-scope'] + kinds['known-subject']),
      refused: logProbability(kinds.keepSecret + kinds.orders + kinds.advice),
      wording: score,
      lead: score - scoreOfOther,
      unknown: unknownWeight,
      strength,
      strange,
      length: relativeLength(tokens.length),
      isFollowUp: Number(isFollowUp),
      isForeign: Number(isForeign),
      isTwo: Number(isNear),
      isFigure: Number(best.candidates[0].passage.kind === 'figure'),
    };
    return { answers, subjects, confidence: evidenceConfidence(evidence), evidence, kinds };
  };
  const resultWithoutEarlier = search([]);
  const reference = earlier.length === 0 ? 'none' : referenceKind(question, tokens);
  const isComplete =
    reference === 'short' &&
    (resultWithoutEarlier.subjects[0]?.candidates.some(({ likeness }) => likeness > EXACT_SIMILARITY) ??
      false);
  if (reference === 'none' || isComplete) return resultWithoutEarlier;
  const resultWithEarlier = search(earlier);
  return reference === 'short' && resultWithoutEarlier.confidence > resultWithEarlier.confidence
    ? resultWithoutEarlier
    : resultWithEarlier;
}
