import { crc32 } from 'node:zlib';
import { FeatureTable, sumOf } from '../api/chat/classifier/feature-table.ts';
import {
  type ClassifierData,
  OTHER_KINDS,
  QUESTION_KINDS,
  type QuestionKind,
  toProbabilities,
  WEIGHT_STEP,
  type Weights,
} from '../api/chat/classifier/question-classifier.ts';
import type { QuestionFeatures } from '../api/chat/classifier/question-features.ts';
import { EARLIER_WEIGHTS } from '../api/chat/query.ts';
import { seededRandom } from '../indexer/ledger/seeded-random.ts';

/** The features of a phrasing and its target: the index of a passage in the book, or a kind of message. */
export interface Example {
  readonly features: QuestionFeatures;
  /** The features of the previous question, if the phrasing leaves out its subject. */
  readonly earlier?: QuestionFeatures;
  readonly target: number | Exclude<QuestionKind, 'answered'>;
}

/*
 * Multinomial logistic regression by stochastic gradient descent. The settings were chosen with the question sets `registers` and
 * `support` in `bench/chat`, and with a tenth of the phrasings, which was not used for training.
 */
const ROUNDS = 7;
/**
 * The number of final rounds over which the weights are averaged. The biases are not averaged. Without the average, the
 * result would depend on the order of the last examples, so that a new phrasing would change unrelated answers.
 */
const AVERAGED_ROUNDS = 3;
const RATE = 2;
const DECAY = 1e-5;
/** A label is skipped if the error in its probability is no greater than this, which makes training ten times as fast. */
const NEGLIGIBLE_ERROR = 3e-3;
const BIAS_RATE = 0.1;
/**
 * Examples of a rare kind of message count more. An example's importance is `share ** -RARE_KIND_EXPONENT`, where `share` is
 * its kind's share of all examples. If the largest importance exceeds `MAX_IMPORTANCE`, all importances are scaled down, so that
 * the largest equals `MAX_IMPORTANCE`.
 */
const RARE_KIND_EXPONENT = 0.5;
const MAX_IMPORTANCE = 4;
/** A feature that occurs in fewer phrasings than this is left out, because too little can be learned from it. */
const MIN_PHRASINGS = 2;
/** Weights closer to zero are left out, because they do not change the result. */
const MIN_WEIGHT = 0.25;
const MAX_WEIGHT_STEPS = 127;

interface Settings {
  /**
   * The share of a phrasing's features that is dropped in each round, because a question rarely has all the words of a phrasing.
   */
  readonly droppedShare: number;
  /**
   * A phrasing counts as learned once its label has this probability. It is below 1, because people may mean different things
   * by the same words.
   */
  readonly learnedProbability: number;
}
const PASSAGE_SETTINGS: Settings = { droppedShare: 0.5, learnedProbability: 0.85 };
const KIND_SETTINGS: Settings = { droppedShare: 0.3, learnedProbability: 1 };

function tableOf(examples: readonly Example[]): FeatureTable {
  const allHashes: number[] = [];
  for (const { features } of examples)
    allHashes.push(...features.words, ...features.pairs, ...features.letters);
  // Sorting the hashes takes a sixth of the time that counting them in a map would take.
  const sorted = Uint32Array.from(allHashes).sort();
  const hashes: number[] = [];
  const rarities: number[] = [];
  let groupStart = 0;
  for (let at = 1; at <= sorted.length; at += 1) {
    const hash = sorted[groupStart] ?? 0;
    if (sorted[at] === hash) continue;
    const count = at - groupStart;
    groupStart = at;
    if (count < MIN_PHRASINGS) continue;
    hashes.push(hash);
    rarities.push(Math.log((examples.length + 1) / (count + 1)));
  }
  return new FeatureTable(Uint32Array.from(hashes), Float32Array.from(rarities));
}

/**
 * The seed of an example's random numbers. It depends only on the example itself, so that editing one example does not change the
 * random numbers of the others. Equal phrasings have equal numbers.
 */
const seedOf = ({ features, earlier }: Example) =>
  crc32(Uint32Array.from([...features.words, ...features.letters, ...(earlier?.words ?? [])]));

interface LabeledExample {
  readonly indexes: Uint32Array;
  readonly values: Float32Array;
  readonly label: number;
  readonly importance: number;
  readonly seed: number;
}

/**
 * Learns which passage a phrasing asks for, or which kind of message it is. The same phrasings always give the same classifier.
 * @param passageCount the number of the book's passages
 */
export function trainClassifier(examples: readonly Example[], passageCount: number): ClassifierData {
  const featureTable = tableOf(examples);
  const vectors = examples.map((example) => {
    const ownPart = [featureTable.vectorOf(example.features), 1] as const;
    const { indexes, values } = example.earlier
      ? sumOf(ownPart, [featureTable.vectorOf(example.earlier), EARLIER_WEIGHTS[0]])
      : sumOf(ownPart);
    return {
      indexes: Uint32Array.from(indexes),
      values: Float32Array.from(values),
      target: example.target,
      seed: seedOf(example),
    };
  });
  const kindOf = (target: Example['target']) => (typeof target === 'number' ? 'answered' : target);
  const counts = new Map<QuestionKind, number>();
  for (const { target } of vectors) counts.set(kindOf(target), (counts.get(kindOf(target)) ?? 0) + 1);
  const kindExamples = vectors.map((vector) => {
    const kind = kindOf(vector.target);
    const share = (counts.get(kind) ?? 1) / examples.length;
    return { ...vector, label: QUESTION_KINDS.indexOf(kind), importance: share ** -RARE_KIND_EXPONENT };
  });
  const passageExamples = vectors.map(({ target, ...vector }) => {
    const label = typeof target === 'number' ? target : passageCount + OTHER_KINDS.indexOf(target);
    return { ...vector, label, importance: 1 };
  });
  return {
    features: featureTable,
    passages: learn(
      passageExamples,
      passageCount + OTHER_KINDS.length,
      featureTable.hashes.length,
      PASSAGE_SETTINGS,
    ),
    kinds: learn(kindExamples, QUESTION_KINDS.length, featureTable.hashes.length, KIND_SETTINGS),
  };
}

/** The examples in a random order for one round, each with its random numbers for that round. */
function inRandomOrder(examples: readonly LabeledExample[], round: number) {
  return examples
    .map((example) => {
      const random = seededRandom(example.seed + round);
      return { example, random, position: random.next() };
    })
    .sort((one, other) => one.position - other.position);
}

function learn(
  examples: readonly LabeledExample[],
  labelCount: number,
  featureCount: number,
  { droppedShare, learnedProbability }: Settings,
): Weights {
  const maxFeatures = Math.max(0, ...examples.map(({ indexes }) => indexes.length));
  const highestImportance = Math.max(1, ...examples.map(({ importance }) => importance));
  const weights = new Float32Array(featureCount * labelCount);
  const biases = new Float32Array(labelCount);
  const average = new Float32Array(featureCount * labelCount);
  const scores = new Float32Array(labelCount);
  const wrongLabels = new Uint32Array(labelCount);
  /** For each feature that is not dropped, the index at which its weights start. */
  const starts = new Uint32Array(maxFeatures + 3);
  const keptValues = new Float32Array(maxFeatures + 3);

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { example, random } of inRandomOrder(examples, round)) {
      const { indexes, values, label, importance } = example;
      const rate =
        (RATE * (1 - round / ROUNDS) * importance) / Math.max(1, highestImportance / MAX_IMPORTANCE);
      let count = 0;
      for (let feature = 0; feature < indexes.length; feature += 1) {
        if (random.next() < droppedShare) continue;
        starts[count] = (indexes[feature] ?? 0) * labelCount;
        keptValues[count] = (values[feature] ?? 0) / (1 - droppedShare);
        count += 1;
      }
      scores.set(biases);
      addScores(scores, weights, starts, keptValues, count);
      toProbabilities(scores);
      scores[label] = (scores[label] ?? 0) - learnedProbability;
      let wrongCount = 0;
      for (let otherLabel = 0; otherLabel < labelCount; otherLabel += 1) {
        const error = scores[otherLabel] ?? 0;
        if (Math.abs(error) <= NEGLIGIBLE_ERROR) continue;
        wrongLabels[wrongCount] = otherLabel;
        wrongCount += 1;
        biases[otherLabel] = (biases[otherLabel] ?? 0) - BIAS_RATE * rate * error;
      }
      for (let feature = 0; feature < count; feature += 1) {
        const start = starts[feature] ?? 0;
        const step = rate * (keptValues[feature] ?? 0);
        for (let position = 0; position < wrongCount; position += 1) {
          const otherLabel = wrongLabels[position] ?? 0;
          const weight = weights[start + otherLabel] ?? 0;
          weights[start + otherLabel] = weight - step * (scores[otherLabel] ?? 0) - rate * DECAY * weight;
        }
      }
    }
    if (round < ROUNDS - AVERAGED_ROUNDS) continue;
    for (let weight = 0; weight < weights.length; weight += 1) {
      average[weight] = (average[weight] ?? 0) + (weights[weight] ?? 0) / AVERAGED_ROUNDS;
    }
  }
  return compress(average, biases, featureCount);
}

/** Adds the features' weights to the scores. Adding four features at a time takes half as long as adding one at a time. */
function addScores(
  scores: Float32Array,
  weights: Float32Array,
  starts: Uint32Array,
  values: Float32Array,
  count: number,
): void {
  // Values beyond the last feature are set to zero, because four features are added at a time.
  values.fill(0, count);
  for (let feature = 0; feature < count; feature += 4) {
    const [firstStart, secondStart] = [starts[feature] ?? 0, starts[feature + 1] ?? 0];
    const [thirdStart, fourthStart] = [starts[feature + 2] ?? 0, starts[feature + 3] ?? 0];
    const [firstValue, secondValue] = [values[feature] ?? 0, values[feature + 1] ?? 0];
    const [thirdValue, fourthValue] = [values[feature + 2] ?? 0, values[feature + 3] ?? 0];
    for (let label = 0; label < scores.length; label += 1) {
      const sum =
        (scores[label] ?? 0) +
        firstValue * (weights[firstStart + label] ?? 0) +
        secondValue * (weights[secondStart + label] ?? 0);
      scores[label] =
        sum +
        thirdValue * (weights[thirdStart + label] ?? 0) +
        fourthValue * (weights[fourthStart + label] ?? 0);
    }
  }
}

/** Keeps only the weights whose absolute value is at least `MIN_WEIGHT`, and stores each one in 8 bits. */
function compress(weights: Float32Array, biases: Float32Array, featureCount: number): Weights {
  const ends = new Uint32Array(featureCount);
  const labels: number[] = [];
  const steps: number[] = [];
  for (let feature = 0; feature < featureCount; feature += 1) {
    for (let label = 0; label < biases.length; label += 1) {
      const weight = weights[feature * biases.length + label] ?? 0;
      if (Math.abs(weight) < MIN_WEIGHT) continue;
      labels.push(label);
      steps.push(Math.max(-MAX_WEIGHT_STEPS, Math.min(MAX_WEIGHT_STEPS, Math.round(weight / WEIGHT_STEP))));
    }
    ends[feature] = labels.length;
  }
  return { biases, ends, labels: Uint16Array.from(labels), steps: Int8Array.from(steps) };
}
