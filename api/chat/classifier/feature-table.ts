import type { QuestionFeatures } from './question-features.ts';

/** The features of a question that a classifier knows: their places in its table, and their values. */
export interface FeatureVector {
  readonly places: readonly number[];
  readonly values: readonly number[];
  /** The share of the question's words, by weight, that the classifier does not know. */
  readonly unknown: number;
}

/** The part of a vector for groups of letters is scaled to this length. The part for words and pairs has length 1. */
const LETTERS_LENGTH = 0.5;
/** The weight of an unknown word, as a share of the highest rarity. Unknown words reduce the weight of the known ones. */
const UNKNOWN_WEIGHT = 0.55;

const EMPTY_VECTOR: FeatureVector = { places: [], values: [], unknown: 0 };

/** The features of the phrasings that a classifier was trained on. */
export class FeatureTable {
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** The inverse document frequency of each feature. */
  readonly rarities: Float32Array;
  readonly #unknown: number;
  readonly #most: number;

  constructor(hashes: Uint32Array, rarities: Float32Array) {
    this.hashes = hashes;
    this.rarities = rarities;
    this.#most = rarities.reduce((most, rarity) => Math.max(most, rarity), 0);
    this.#unknown = this.#most * UNKNOWN_WEIGHT;
  }

  /** A feature's place; -1 if it is unknown. */
  placeOf(hash: number): number {
    let low = 0;
    let high = this.hashes.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.hashes[middle] ?? 0;
      if (found === hash) return middle;
      if (found < hash) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #part(known: readonly number[], optional: readonly number[], length: number): FeatureVector {
    const places: number[] = [];
    const values: number[] = [];
    let squares = 0;
    let unknownSquares = 0;
    let knownSquares = 0;
    for (const [hashes, unknown] of [
      [known, this.#unknown],
      [optional, 0],
    ] as const) {
      for (const hash of hashes) {
        const place = this.placeOf(hash);
        const value = place === -1 ? unknown : (this.rarities[place] ?? 0);
        squares += value * value;
        if (place === -1) {
          unknownSquares += unknown === 0 ? 0 : this.#most ** 2;
          continue;
        }
        if (hashes === known) knownSquares += value * value;
        places.push(place);
        values.push(value);
      }
    }
    const scale = length / Math.sqrt(squares || 1);
    return {
      places,
      values: values.map((value) => value * scale),
      unknown: unknownSquares / (unknownSquares + knownSquares || 1),
    };
  }

  /** The words alone, without pairs and groups of letters. */
  wordsOf({ words }: QuestionFeatures): FeatureVector {
    return this.#part(words, [], 1);
  }

  vectorOf({ words, pairs, letters }: QuestionFeatures): FeatureVector {
    const wordPart = this.#part(words, pairs, 1);
    return {
      ...sumOf([wordPart, 1], [this.#part(letters, [], LETTERS_LENGTH), 1]),
      unknown: wordPart.unknown,
    };
  }
}

/** Adds up vectors, each multiplied by a weight. */
export function sumOf(...vectors: readonly (readonly [FeatureVector, weight: number])[]): FeatureVector {
  return vectors.reduce<FeatureVector>(
    (sum, [{ places, values }, weight]) => ({
      places: [...sum.places, ...places],
      values: [...sum.values, ...values.map((value) => value * weight)],
      unknown: sum.unknown,
    }),
    EMPTY_VECTOR,
  );
}
