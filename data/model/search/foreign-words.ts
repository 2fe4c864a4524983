/** Languages that the assistant recognizes. It answers in English. */
export const LANGUAGES = ['es', 'de', 'fr', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** The most frequent short words of each language. Arabic is recognized by its letters. */
export const FOREIGN_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  es: wordsOf(`
    el la los las un una de del que es esta estan como cuanto cuantos cuanta cuantas cual donde cuando por para mi mis
    tengo puedo hay se su con sin quien si necesito quiero esto hago`),
  de: wordsOf(`
    der die das ein eine einen ist sind wie viel viele wieviel was wann wo wer warum kann ich mein meine meinen fur
    bei auf mit und nicht wird werden habe hat zu dem den des im von muss bekomme zahlt`),
  fr: wordsOf(`
    le la les un une des du de est sont comment combien quel quelle quels quelles ou quand qui pourquoi puis je mon ma
    mes pour avec sur dans pas ce que il elle on peut quoi faut ai ne jusqua`),
  ar: wordsOf('كم ما هل هي هو على من في عدد كيف تبقى احتاج'),
};
