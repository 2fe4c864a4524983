import { FeatureTable, type FeatureVector } from './feature-table.ts';

/** The classifier's file in the built site's folder, next to the chat book. */
export const CLASSIFIER_FILE = '.chat-classifier.bin';

/**
 * The kinds of messages: a question that a passage answers, a question about something else, a question about the project
 * that no passage answers, and a message that gets a refusal.
 */
export const QUESTION_KINDS = [
  'answered',
  'out-of-scope',
  'known-subject',
  'keepSecret',
  'orders',
  'advice',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export const OTHER_KINDS = QUESTION_KINDS.filter((kind) => kind !== 'answered');

/** Linear weights. A feature has entries only for the labels that it supports or contradicts. */
export interface Weights {
  /** The weight that each label has in every question. */
  readonly biases: Float32Array;
  /**
   * For each feature, where its entries in `labels` and `steps` end. They begin where the entries of the previous feature end.
   */
  readonly ends: Uint32Array;
  readonly labels: Uint16Array;
  /** The weights, in units of `WEIGHT_STEP`. */
  readonly steps: Int8Array;
}

export const WEIGHT_STEP = 1 / 16;

/** Two classifiers with the same features: one for the passage that answers, and one for the kind of message. */
export interface ClassifierData {
  readonly features: FeatureTable;
  readonly passages: Weights;
  readonly kinds: Weights;
}

type NumberArray = Uint32Array | Float32Array | Uint16Array | Int8Array;
const ALIGNMENT = 4;
const paddingAfter = (length: number) => (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;

/** The file contains a version, followed by the arrays. Each array is aligned and preceded by its length. */
const VERSION = 1;

export function encodeClassifier({ features, passages, kinds }: ClassifierData): Uint8Array {
  const arrays: readonly NumberArray[] = [
    features.hashes,
    features.rarities,
    ...[passages, kinds].flatMap(({ biases, ends, labels, steps }) => [biases, ends, labels, steps]),
  ];
  const bytesOf = ({ buffer, byteOffset, byteLength }: NumberArray) =>
    Buffer.from(buffer, byteOffset, byteLength);
  return Buffer.concat([
    bytesOf(Uint32Array.of(VERSION)),
    ...arrays.flatMap((array) => [
      bytesOf(Uint32Array.of(array.length)),
      bytesOf(array),
      Buffer.alloc(paddingAfter(array.byteLength)),
    ]),
  ]);
}

/** @throws {Error} if the bytes are not a classifier for that many passages */
export function decodeClassifier(bytes: Uint8Array, passageCount: number): QuestionClassifier {
  // Copied, because a copy is aligned, while bytes in a larger buffer may start at any offset.
  const { buffer } = Uint8Array.from(bytes);
  const numbers = new DataView(buffer);
  let offset = Uint32Array.BYTES_PER_ELEMENT;
  function readArray<A extends NumberArray>(
    View: new (from: ArrayBuffer, offset: number, length: number) => A,
  ): A {
    const view = new View(buffer, offset + Uint32Array.BYTES_PER_ELEMENT, numbers.getUint32(offset, true));
    offset += Uint32Array.BYTES_PER_ELEMENT + view.byteLength + paddingAfter(view.byteLength);
    return view;
  }
  const readWeights = (): Weights => ({
    biases: readArray(Float32Array),
    ends: readArray(Uint32Array),
    labels: readArray(Uint16Array),
    steps: readArray(Int8Array),
  });
  if (numbers.getUint32(0, true) === VERSION) {
    const features = new FeatureTable(readArray(Uint32Array), readArray(Float32Array));
    const [passages, kinds] = [readWeights(), readWeights()];
    const labelCount = passageCount + OTHER_KINDS.length;
    if (passages.biases.length === labelCount && kinds.biases.length === QUESTION_KINDS.length) {
      return new QuestionClassifier({ features, passages, kinds });
    }
  }
  throw new Error('The classifier does not belong to the chat book. Build the site again.');
}

export class QuestionClassifier {
  readonly #data: ClassifierData;

  constructor(data: ClassifierData) {
    this.#data = data;
  }

  get features(): FeatureTable {
    return this.#data.features;
  }

  get passageCount(): number {
    return this.#data.passages.biases.length - OTHER_KINDS.length;
  }

  /** The probability of each passage, then of each of `OTHER_KINDS`. They add up to 1. */
  passageProbabilities(question: FeatureVector): Float32Array {
    return toProbabilities(scoresOf(this.#data.passages, question));
  }

  /**
   * The highest score of any passage or of `OTHER_KINDS`, before the softmax. It indicates how much of the question the
   * classifier knows.
   */
  strength(question: FeatureVector): number {
    return Math.max(...scoresOf(this.#data.passages, question));
  }

  /** Whether the feature with this index supports any of these passages. */
  supports(featureIndex: number, passages: ReadonlySet<number>): boolean {
    const { ends, labels, steps } = this.#data.passages;
    const end = ends[featureIndex] ?? 0;
    for (let entry = featureIndex === 0 ? 0 : (ends[featureIndex - 1] ?? 0); entry < end; entry += 1) {
      if ((steps[entry] ?? 0) > 0 && passages.has(labels[entry] ?? 0)) return true;
    }
    return false;
  }

  /** The probability of each of `QUESTION_KINDS`. They add up to 1. */
  kindProbabilities(question: FeatureVector): Float32Array {
    return toProbabilities(scoresOf(this.#data.kinds, question));
  }
}

function scoresOf(
  { biases, ends, labels, steps }: Weights,
  { indexes, values }: FeatureVector,
): Float32Array {
  const scores = Float32Array.from(biases);
  for (const [index, featureIndex] of indexes.entries()) {
    const value = (values[index] ?? 0) * WEIGHT_STEP;
    const end = ends[featureIndex] ?? 0;
    for (let entry = featureIndex === 0 ? 0 : (ends[featureIndex - 1] ?? 0); entry < end; entry += 1) {
      const label = labels[entry] ?? 0;
      scores[label] = (scores[label] ?? 0) + value * (steps[entry] ?? 0);
    }
  }
  return scores;
}

/** Softmax, in place. Uses indexes instead of iterators, because training spends much of its time here. */
export function toProbabilities(scores: Float32Array): Float32Array {
  let highest = Number.NEGATIVE_INFINITY;
  for (let label = 0; label < scores.length; label += 1)
    highest = Math.max(highest, scores[label] ?? highest);
  let sum = 0;
  for (let label = 0; label < scores.length; label += 1) {
    const weight = Math.exp((scores[label] ?? 0) - highest);
    scores[label] = weight;
    sum += weight;
  }
  for (let label = 0; label < scores.length; label += 1) scores[label] = (scores[label] ?? 0) / sum;
  return scores;
}
