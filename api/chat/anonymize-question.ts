import { wordlist } from '@scure/bip39/wordlists/english.js';
import { plainText } from '../../data/model/search/tokenizer.ts';

/** Common English words. They cannot identify a person. */
const COMMON_WORDS = new Set(wordlist);
const SMALL_WORDS = new Set(
  `a an the and or but if am is are was were be been do does did has have had i you he she it we they me my your our their this
  that these those what which who whose when where why how can could will would shall should may might must not no yes of to
  in on at by for from with about into over under after before between out up down off again more most other some any all
  each few than too very so as there here`.split(/\s+/),
);
const MAX_LENGTH = 160;
const GAP = '…';

/**
 * Keeps only common English words and words that the portal uses. Everything else, such as a name, a number or an address,
 * could identify a person and is replaced with an ellipsis.
 */
export function anonymizeQuestion(question: string, isKnown: (word: string) => boolean): string {
  const tokens = plainText(question).match(/[\p{L}\p{N}@.]+/gu) ?? [];
  const words = tokens.map((word) => {
    const isWord = /^\p{L}+$/u.test(word);
    return isWord && (SMALL_WORDS.has(word) || COMMON_WORDS.has(word) || isKnown(word)) ? word : GAP;
  });
  return words
    .filter((word, index) => word !== GAP || words[index - 1] !== GAP)
    .join(' ')
    .slice(0, MAX_LENGTH);
}
