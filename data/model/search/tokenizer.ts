import { stemmer } from 'stemmer';
import { FOREIGN_WORDS } from './foreign-words.ts';

const STOP_WORDS: ReadonlySet<string> = new Set([
  ...`a about ago actually all also am an and any anyone anything are as at be been being but by until till can could did
  do does doing dont for from get gets getting give go goes going got guys had has have having he hello help her here
  hey hi his i id if ill in into is isnt it its ive just know kindly let like ll made make many may me might mine more
  most much must my need of off ok okay on one only or our please pls possible re really s say see shall she should
  show so some somebody someone something t tell than thank thanks that thats the their them then there theres these
  they thing this those to too u up ur us use used uses using ve very via want wants was way we well were what whats
  which will with would wont yes you your youre yours how yall gonna gotta wanna ya bro dude man lol omg plz rn atm
  tho tbh btw idk damn hell fuck fucking wtf seriously honestly simply already still yet even ever de die`.split(
    /\s+/,
  ),
  ...Object.values(FOREIGN_WORDS).flatMap((words) => [...words]),
]);

/** Matches questions about what something is, rather than about a detail. */
const WHAT_IS_QUESTION =
  /\b(?:what (?:is|are|does .+ mean)|whats|explain|tell me about|meaning of|define|definition of)\b/u;
/** The token added to questions that ask what something is. It carries no weight in the search. */
export const WHAT_IS_TOKEN = 'whatis';
/** The stemmer would merge these words with unrelated ones. */
const UNSTEMMED_WORDS = new Set(['marketing', 'news']);

/** The maximum number of words whose tokens a tokenizer caches. The portal uses fewer words than this. */
const MAX_CACHED_WORDS = 10_000;

const WORD_OR_NUMBER = /[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu;

/** Prepares text for comparison: lower case, without accents or apostrophes. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’`]/gu, '')
    .toLowerCase();
}

/** The article at the start of an Arabic word, with the conjunction or preposition, if any, that is attached before it. */
const ARABIC_ARTICLE = /^(?:[وفبك]?ال|لل)(?=\p{Script=Arabic}{3})/u;

const stemOf = (word: string) => stemmer(word.replace(ARABIC_ARTICLE, '').replace(/ة$/, 'ه'));

/** Splits text into tokens: stemmed words without stop words. Synonyms share one token. */
export interface Tokenizer {
  readonly tokensOf: (text: string) => readonly string[];
  /** The token of one word; null for a stop word. */
  readonly tokenOf: (word: string) => string | null;
  /** The kind of product that a word names; undefined if the word is not the name of another product. */
  readonly productKindOf: (word: string) => string | undefined;
}

/**
 * @param synonyms each line lists words with the same meaning; hyphens in an entry also match spaces
 * @param productKinds the names of other products, with their kinds
 */
export function createTokenizer(
  synonyms: readonly (readonly string[])[],
  productKinds: ReadonlyMap<string, string> = new Map(),
): Tokenizer {
  const tokens = new Map<string, string>();
  const phrases: string[] = [];
  for (const line of synonyms) {
    const [first = ''] = line;
    const token = stemmer(first.replaceAll('-', ''));
    for (const word of line) {
      const joined = word.replaceAll('-', '');
      if (joined !== word) phrases.push(word.replaceAll('-', '[- ]'));
      tokens.set(stemmer(joined), token);
    }
  }
  const anyPhrase = phrases.length > 0 ? new RegExp(`\\b(?:${phrases.join('|')})\\b`, 'gu') : null;
  const computeToken = (word: string): string | null => {
    if (STOP_WORDS.has(word)) return null;
    const withoutCommas = word.replaceAll(',', '');
    const stem = UNSTEMMED_WORDS.has(withoutCommas) ? withoutCommas : stemOf(withoutCommas);
    return tokens.get(stem) ?? stem;
  };
  const tokenCache = new Map<string, string | null>();
  const tokenOf = (word: string): string | null => {
    const cachedToken = tokenCache.get(word);
    if (cachedToken !== undefined) return cachedToken;
    const token = computeToken(word);
    if (tokenCache.size < MAX_CACHED_WORDS) tokenCache.set(word, token);
    return token;
  };
  const tokensOf = (text: string) => {
    let plain = plainText(text);
    if (anyPhrase) plain = plain.replaceAll(anyPhrase, (phrase) => phrase.replaceAll(/[- ]/g, ''));
    const tokens = (plain.match(WORD_OR_NUMBER) ?? []).map(tokenOf).filter((token) => token !== null);
    return WHAT_IS_QUESTION.test(plain) ? [WHAT_IS_TOKEN, ...tokens] : tokens;
  };
  return { tokensOf, tokenOf, productKindOf: (word) => productKinds.get(word) };
}
