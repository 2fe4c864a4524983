import type { QuestionFeatures } from './question-features.ts';

/** The known features of a question: their indexes in the classifier's table, and their values. */
export interface FeatureVector {
  readonly indexes: readonly number[];
  readonly values: readonly number[];
  /** The weighted share of the question's words that the classifier does not know. */
  readonly unknownShare: number;
}

/** In a vector, the part for groups of letters has this Euclidean length. The part for words and pairs has length 1. */
const LETTERS_LENGTH = 0.5;
/** The weight of an unknown word, as a share of the highest rarity. Unknown words reduce the weight of the known ones. */
const UNKNOWN_WEIGHT = 0.55;

const EMPTY_VECTOR: FeatureVector = { indexes: [], values: [], unknownShare: 0 };

/** The features of the phrasings that a classifier was trained on. */
export class FeatureTable {
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** The inverse document frequency of each feature. */
  readonly rarities: Float32Array;
  readonly #unknownWeight: number;
  readonly #highestRarity: number;

  constructor(hashes: Uint32Array, rarities: Float32Array) {
    this.hashes = hashes;
    this.rarities = rarities;
    this.#highestRarity = rarities.reduce((most, rarity) => Math.max(most, rarity), 0);
    this.#unknownWeight = this.#highestRarity * UNKNOWN_WEIGHT;
  }

  /** A feature's index; -1 if it is unknown. */
  indexOf(hash: number): number {
    let low = 0;
    let high = this.hashes.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const middleHash = this.hashes[middle] ?? 0;
      if (middleHash === hash) return middle;
      if (middleHash < hash) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #vectorOfHashes(
    mainHashes: readonly number[],
    hashesIgnoredIfUnknown: readonly number[],
    targetNorm: number,
  ): FeatureVector {
    const indexes: number[] = [];
    const values: number[] = [];
    let squares = 0;
    let unknownSquares = 0;
    let knownSquares = 0;
    for (const [hashes, unknownWeight] of [
      [mainHashes, this.#unknownWeight],
      [hashesIgnoredIfUnknown, 0],
    ] as const) {
      for (const hash of hashes) {
        const index = this.indexOf(hash);
        const value = index === -1 ? unknownWeight : (this.rarities[index] ?? 0);
        squares += value * value;
        if (index === -1) {
          unknownSquares += unknownWeight === 0 ? 0 : this.#highestRarity ** 2;
          continue;
        }
        if (hashes === mainHashes) knownSquares += value * value;
        indexes.push(index);
        values.push(value);
      }
    }
    const scale = targetNorm / Math.sqrt(squares || 1);
    return {
      indexes,
      values: values.map((value) => value * scale),
      unknownShare: unknownSquares / (unknownSquares + knownSquares || 1),
    };
  }

  /** The vector of the words alone, without pairs and groups of letters. */
  wordVectorOf({ words }: QuestionFeatures): FeatureVector {
    return this.#vectorOfHashes(words, [], 1);
  }

  vectorOf({ words, pairs, letters }: QuestionFeatures): FeatureVector {
    const wordPart = this.#vectorOfHashes(words, pairs, 1);
    return {
      ...sumOf([wordPart, 1], [this.#vectorOfHashes(letters, [], LETTERS_LENGTH), 1]),
      unknownShare: wordPart.unknownShare,
    };
  }
}

/** The weighted sum of vectors. Its `unknownShare` is 0. */
export function sumOf(...vectors: readonly (readonly [FeatureVector, weight: number])[]): FeatureVector {
  return vectors.reduce<FeatureVector>(
    (sum, [{ indexes, values }, weight]) => ({
      indexes: [...sum.indexes, ...indexes],
      values: [...sum.values, ...values.map((value) => value * weight)],
      unknownShare: sum.unknownShare,
    }),
    EMPTY_VECTOR,
  );
}
