import { currentTranslation } from '../../../data/model/locale.ts';
import { type FoundPassage, PassageIndex } from '../../../data/model/search/passage-index.ts';
import { countWords, createSpellingCorrector } from '../../../data/model/search/spelling.ts';
import { createTokenizer, plainText, WHAT_IS_TOKEN } from '../../../data/model/search/tokenizer.ts';

/** From `content/duckling/synonyms.yaml`: each line lists words with the same meaning. Set by the build. */
declare const SEARCH_SYNONYMS: string;

/** A page, a part of a page that has its own heading, or a question. */
export interface Section {
  /** For example `/faq#lock`. */
  readonly href: string;
  readonly title: string;
  /** The title of the page that the section is on. */
  readonly page: string;
  /** Plain text with a blank line between paragraphs. */
  readonly text: string;
  /** Other phrasings of the title. */
  readonly askedAs: readonly string[];
}

/** The index that the build writes (`scripts/section-index.ts`). */
export interface SectionIndex {
  readonly sections: readonly Section[];
  /** Everyday English words, separated by spaces. Their spelling is not corrected. */
  readonly commonWords: string;
}

const indexPath = () => `${currentTranslation()?.prefix ?? ''}/section-index.json`;
/** Matches the last word of a query, which is completed if it has at least three letters. */
const LAST_WORD_BEGINNING = /(?:[a-z]{3,}|\p{Script=Arabic}{3,})$/u;

export interface SectionMatches {
  /** The query as it was searched: with typing errors corrected and the last word completed. */
  readonly searchedQuery: string;
  /** Best first. */
  readonly results: readonly FoundPassage[];
  /** Whether a word is in the query, or means the same as a word in the query. */
  readonly isMatch: (word: string) => boolean;
}

export interface SectionSearch {
  readonly find: (query: string) => SectionMatches;
  /** For a query without results: sections that contain similarly spelled words. Best first. */
  readonly findSimilar: (query: string) => readonly FoundPassage[];
}

const MIN_SIMILARITY = 0.35;

const letterPairsOf = (word: string) =>
  new Set(Array.from(word.slice(1), (letter, index) => word[index] + letter));

/** Dice's coefficient for the letter pairs of two words, from 0 to 1. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return (2 * [...one].filter((pair) => other.has(pair)).length) / (one.size + other.size);
}

/** @param synonyms each entry lists words with the same meaning */
export function createSectionSearch(
  { sections, commonWords }: SectionIndex,
  synonyms: readonly (readonly string[])[] = SEARCH_SYNONYMS.split('\n').map((line) => line.split(' ')),
): SectionSearch {
  const tokenizer = createTokenizer(synonyms);
  const texts = sections.flatMap(({ title, text, askedAs }) => [title, text, ...askedAs]);
  const wordCounts = countWords([...texts, ...synonyms.flat()]);
  const spelling = createSpellingCorrector(wordCounts, new Set(commonWords.split(' ')));
  const index = new PassageIndex(
    sections.map((section) => ({ ...section, kind: 'section' })),
    tokenizer,
  );

  /** The most frequent word that starts with `beginning`, or `beginning` itself if it is a word or no word starts with it. */
  function complete(beginning: string): string {
    if (wordCounts.has(beginning)) return beginning;
    const words = [...wordCounts].filter(([word]) => word.startsWith(beginning));
    const [best] = words.sort(([, one], [, other]) => other - one);
    return best?.[0] ?? beginning;
  }

  function mostSimilarWord(word: string): string | null {
    const pairs = letterPairsOf(word);
    let best = { word: '', share: MIN_SIMILARITY };
    for (const indexedWord of wordCounts.keys()) {
      const share = indexedWord.length < 3 ? 0 : similarity(pairs, letterPairsOf(indexedWord));
      if (share > best.share) best = { word: indexedWord, share };
    }
    return best.word || null;
  }

  const search = (tokens: ReadonlySet<string>) => index.find(new Map([...tokens].map((token) => [token, 1])));

  return {
    findSimilar: (query) => {
      const words = plainText(query).match(/[a-z]{3,}/g) ?? [];
      const similarWords = words.map(mostSimilarWord).filter((word) => word !== null);
      return search(new Set(tokenizer.tokensOf(similarWords.join(' '))));
    },
    find: (query) => {
      const searchedQuery = spelling.correct(plainText(query).replace(LAST_WORD_BEGINNING, complete));
      const tokens = new Set(tokenizer.tokensOf(searchedQuery));
      tokens.delete(WHAT_IS_TOKEN);
      return {
        searchedQuery,
        results: search(tokens),
        isMatch: (word) => tokenizer.tokensOf(word).some((token) => tokens.has(token)),
      };
    },
  };
}

let sectionSearchPromise: Promise<SectionSearch> | null = null;

async function load(): Promise<SectionSearch> {
  // Not read with `request`, because the file belongs to the site, and the API may have another origin.
  const response = await fetch(indexPath());
  if (!response.ok) throw new Error(`${response.status}`);
  const index: SectionIndex = await response.json();
  return createSectionSearch(index);
}

/** If loading fails, the next call tries again. */
export function loadSectionSearch(): Promise<SectionSearch> {
  sectionSearchPromise ??= load().catch((error: unknown) => {
    sectionSearchPromise = null;
    throw error;
  });
  return sectionSearchPromise;
}
