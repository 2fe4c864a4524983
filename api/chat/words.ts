import { stemmer } from 'stemmer';

/** Words that say nothing of what is asked. */
const PASSED_OVER = new Set(
  `a about ago actually all also am an and any anyone anything are as at be been being but by until till can could did do does doing dont
  for from get gets getting give go goes going got guys had has have having he hello help her here hey hi his i id if ill
  im in into is isnt it its ive just know kindly know let like ll made make many may me might mine more most much must my
  need of off ok okay on one only or our please pls possible re really s say see shall she should show so some
  somebody someone something t tell than thank thanks that thats the their them then there theres these they thing this
  those to too u up ur us use used uses using ve very via want wants was way we well were what whats which will with would
  wont yes you your youre yours how`.split(/\s+/),
);

/** Questions for what a thing is: told apart from those about one side of it. */
const WHAT_IS =
  /\b(?:what (?:is|are|does .+ mean)|whats|explain|tell me about|meaning of|define|definition of)\b/u;
/** Stands for the question itself: it says nothing of what is asked for. */
export const WHAT_IS_WORD = 'whatis';
/** Words whose stem is that of another. */
const UNSTEMMED = new Set(['marketing', 'news']);

const PIECES = /[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu;

/** Text in the form in which words are compared: lower case, without accents and apostrophes. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’`]/gu, '')
    .toLowerCase();
}

/** Reads words that people use for one thing as one word. */
export interface WordReader {
  /** The words of a text that say what it is about, each in its common form, in order. */
  readonly wordsOf: (text: string) => readonly string[];
  /** A word as it is compared; null where it says nothing. */
  readonly readWord: (word: string) => string | null;
}

/**
 * Makes the reader of words. @param sameWords each line the words for one thing; one with hyphens is found as it is
 * written and as words apart.
 */
export function wordReader(sameWords: readonly (readonly string[])[]): WordReader {
  const common = new Map<string, string>();
  const phrases: [RegExp, string][] = [];
  for (const line of sameWords) {
    const [first = ''] = line;
    const name = stemmer(first.replaceAll('-', ''));
    for (const word of line) {
      const joined = word.replaceAll('-', '');
      if (joined !== word) phrases.push([new RegExp(`\\b${word.replaceAll('-', '[- ]')}\\b`, 'gu'), joined]);
      common.set(stemmer(joined), name);
    }
  }
  const readWord = (word: string): string | null => {
    if (PASSED_OVER.has(word)) return null;
    const number = word.replaceAll(',', '');
    const stem = UNSTEMMED.has(number) ? number : stemmer(number);
    return common.get(stem) ?? stem;
  };
  const wordsOf = (text: string) => {
    let plain = plainText(text);
    for (const [phrase, joined] of phrases) plain = plain.replaceAll(phrase, joined);
    const words = (plain.match(PIECES) ?? []).map(readWord).filter((word) => word !== null);
    return WHAT_IS.test(plain) ? [WHAT_IS_WORD, ...words] : words;
  };
  return { wordsOf, readWord };
}
