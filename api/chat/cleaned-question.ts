import { wordlist } from '@scure/bip39/wordlists/english.js';
import { plainText } from './words.ts';

/** Words that name nobody: common English ones. */
const COMMON = new Set(wordlist);
const SMALL_WORDS = new Set(
  `a an the and or but if am is are was were be been do does did has have had i you he she it we they me my your our their this
  that these those what which who whose when where why how can could will would shall should may might must not no yes of to
  in on at by for from with about into over under after before between out up down off again more most other some any all
  each few than too very so as there here`.split(/\s+/),
);
const LONGEST = 160;
const GAP = '…';

/**
 * A question as the team may read it: words that the portal uses itself and common English ones. Names, numbers, addresses
 * and everything else that could tell of a person is left out.
 */
export function cleanedQuestion(question: string, isKnown: (word: string) => boolean): string {
  const words = plainText(question).match(/[\p{L}\p{N}@.]+/gu) ?? [];
  const kept = words.map((word) => {
    const isWord = /^\p{L}+$/u.test(word);
    return isWord && (SMALL_WORDS.has(word) || COMMON.has(word) || isKnown(word)) ? word : GAP;
  });
  return kept
    .filter((word, index) => word !== GAP || kept[index - 1] !== GAP)
    .join(' ')
    .slice(0, LONGEST);
}
