import { FOREIGN_WORDS, type Language } from '../../data/model/search/foreign-words.ts';
import type { SpellingCorrector } from '../../data/model/search/spelling.ts';
import { plainText } from '../../data/model/search/tokenizer.ts';

const ENGLISH_WORDS = new Set(
  'the a an is are do does i my me you it to of for in on what how when where who why can and or if not much many was will with'.split(
    ' ',
  ),
);

/** The language of a message; null if it is English or not recognized. */
export function detectLanguage(message: string): Language | null {
  if (/\p{Script=Arabic}{2}/u.test(message)) return 'ar';
  const words = plainText(message).match(/\p{L}+/gu) ?? [];
  const countOf = (smallWords: ReadonlySet<string>) =>
    new Set(words.filter((word) => smallWords.has(word))).size;
  const [best] = Object.entries(FOREIGN_WORDS)
    .map(([language, smallWords]) => ({ language: language as Language, count: countOf(smallWords) }))
    .sort((one, other) => other.count - one.count);
  if (!best || best.count < 2 || best.count <= countOf(ENGLISH_WORDS)) return null;
  return best.language;
}

/**
 * A message as the search and the classifier read it: in lower case and without accents. Typing errors are corrected
 * unless the message is in another language.
 */
export function readQuestion(
  message: string,
  spelling: Pick<SpellingCorrector, 'correct'>,
): { readonly text: string; readonly language: Language | null } {
  const language = detectLanguage(message);
  return { text: language ? plainText(message) : spelling.correct(message), language };
}
