import { stemmer } from 'stemmer';
import type { Tokenizer } from '../../../data/model/search/tokenizer.ts';

/** The features of a question, as 32-bit hashes without duplicates. */
export interface QuestionFeatures {
  /**
   * Tokens (synonyms have the same token); the stems of all words, even small ones ("how", "who"); and the
   * kinds of the products that the question names.
   */
  readonly words: readonly number[];
  /** Pairs of neighboring stems, and pairs from anywhere in the question: two tokens, or a token and a kind of product. */
  readonly pairs: readonly number[];
  /** Sequences of four characters from each word and the spaces around it. A typing error leaves some of them unchanged. */
  readonly letters: readonly number[];
}

/** Each hash includes the kind, so that features of different kinds differ even if their text is the same. */
const FEATURE_KINDS = {
  token: 1,
  stem: 2,
  neighbors: 3,
  together: 4,
  letters: 5,
  productKind: 6,
  productKindWithToken: 7,
} as const;
const GROUP_LENGTH = 4;
const START_MARK = '^';
const END_MARK = '$';

const FNV_PRIME = 0x01000193;

/** FNV-1a of UTF-16 code units. */
function hashOf(kind: number, text: string): number {
  let hash = Math.imul(0x811c9dc5 ^ kind, FNV_PRIME);
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash >>> 0;
}

const toDistinct = (hashes: Iterable<number>): readonly number[] => [...new Set(hashes)];

function* letterGroupsOf(words: readonly string[]): Generator<string> {
  for (const word of words) {
    const framedWord = ` ${word} `;
    for (let start = 0; start + GROUP_LENGTH <= framedWord.length; start += 1) {
      yield framedWord.slice(start, start + GROUP_LENGTH);
    }
  }
}

export const productKindFeature = (kind: string) => hashOf(FEATURE_KINDS.productKind, kind);

/** The kinds of products that a question names, except the portal's own products. */
export const productKindsIn = (question: string, { productKindOf }: Pick<Tokenizer, 'productKindOf'>) => [
  ...new Set((question.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => productKindOf(word) ?? [])),
];

/** @param question lower case and without accents, with typing errors corrected */
export function featuresOf(
  question: string,
  { tokensOf, productKindOf }: Pick<Tokenizer, 'tokensOf' | 'productKindOf'>,
): QuestionFeatures {
  const words = question.match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? [];
  const stems = words.map((word) => stemmer(word));
  const tokens = [...new Set(tokensOf(question))].sort();
  const markedStems = [START_MARK, ...stems, END_MARK];
  const neighbors = markedStems
    .slice(1)
    .map((stem, index) => hashOf(FEATURE_KINDS.neighbors, `${markedStems[index]} ${stem}`));
  const tokenPairs = tokens.flatMap((token, index) =>
    tokens.slice(index + 1).map((other) => hashOf(FEATURE_KINDS.together, `${token} ${other}`)),
  );
  const productKinds = productKindsIn(question, { productKindOf });
  const productPairs = productKinds.flatMap((kind) =>
    tokens.map((token) => hashOf(FEATURE_KINDS.productKindWithToken, `${kind} ${token}`)),
  );
  return {
    words: toDistinct([
      ...tokens.map((token) => hashOf(FEATURE_KINDS.token, token)),
      ...stems.map((stem) => hashOf(FEATURE_KINDS.stem, stem)),
      ...productKinds.map(productKindFeature),
    ]),
    pairs: toDistinct([...neighbors, ...tokenPairs, ...productPairs]),
    letters: toDistinct([...letterGroupsOf(words)].map((letters) => hashOf(FEATURE_KINDS.letters, letters))),
  };
}
