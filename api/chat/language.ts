import { plainText } from './tokenizer.ts';

/** Languages that the assistant recognizes. It answers in English. */
export const LANGUAGES = ['es', 'de', 'fr', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Small words that a language uses often and English does not. */
const SMALL_WORDS: Readonly<Record<Exclude<Language, 'ar'>, ReadonlySet<string>>> = {
  es: new Set(
    'el la los las un una de del que es esta estan como cuanto cuantos cuanta cuantas cual donde cuando por para mi mis tengo puedo hay se su con sin quien si necesito quiero esto hago'.split(
      ' ',
    ),
  ),
  de: new Set(
    'der die das ein eine einen ist sind wie viel viele wieviel was wann wo wer warum kann ich mein meine meinen fur bei auf mit und nicht wird werden habe hat zu dem den des im von muss bekomme'.split(
      ' ',
    ),
  ),
  fr: new Set(
    'le la les un une des du de est sont comment combien quel quelle quels quelles ou quand qui pourquoi puis je mon ma mes pour avec sur dans pas ce que il elle on peut quoi faut ai ne jusqua'.split(
      ' ',
    ),
  ),
};
const ENGLISH = new Set(
  'the a an is are do does i my me you it to of for in on what how when where who why can and or if not much many was will with'.split(
    ' ',
  ),
);

/** The language of a message; null if it is English or not recognized. */
export function detectLanguage(message: string): Language | null {
  if (/\p{Script=Arabic}{2}/u.test(message)) return 'ar';
  const words = plainText(message).match(/\p{L}+/gu) ?? [];
  const countOf = (small: ReadonlySet<string>) => new Set(words.filter((word) => small.has(word))).size;
  const [best] = Object.entries(SMALL_WORDS)
    .map(([language, small]) => ({ language: language as Language, count: countOf(small) }))
    .sort((one, other) => other.count - one.count);
  if (!best || best.count < 2 || best.count <= countOf(ENGLISH)) return null;
  return best.language;
}
