import { type FoundPassage, PassageIndex } from '../../../data/model/search/passage-index.ts';
import { countWords, createSpelling } from '../../../data/model/search/spelling.ts';
import { createTokenizer, plainText, WHAT_IS_TOKEN } from '../../../data/model/search/tokenizer.ts';
import { request } from '../../data/request.ts';

/** From `content/duckling/synonyms.yaml`: words with the same meaning in each line. Set by the build. */
declare const SEARCH_SYNONYMS: string;

/** A page, a part of a page under its heading, or a question. */
export interface Section {
  /** `/faq#lock`. */
  readonly href: string;
  readonly title: string;
  /** The title of its page. */
  readonly page: string;
  /** Without markup, with a blank line between paragraphs. */
  readonly text: string;
  /** Other phrasings of the title. */
  readonly askedAs: readonly string[];
}

/** As the build writes it (`scripts/section-index.ts`). */
export interface SectionIndex {
  readonly sections: readonly Section[];
  /** Words of everyday English, separated by spaces. They are not corrected. */
  readonly commonWords: string;
}

const INDEX_PATH = '/section-index.json';
/** A shorter beginning of a word is not completed. */
const BEGINNING = /[a-z]{3,}$/;

/** The sections that a query finds. */
export interface SectionsFound {
  /** The query with typing errors corrected and its last word completed, as it was searched. */
  readonly searched: string;
  /** Best first. */
  readonly results: readonly FoundPassage[];
  /** Whether a word of a text means the same as one of the query. */
  readonly isMatch: (word: string) => boolean;
}

export interface SectionSearch {
  readonly find: (query: string) => SectionsFound;
}

/** @param synonyms each line lists words with the same meaning */
export function createSectionSearch(
  { sections, commonWords }: SectionIndex,
  synonyms: readonly (readonly string[])[] = SEARCH_SYNONYMS.split('\n').map((line) => line.split(' ')),
): SectionSearch {
  const tokenizer = createTokenizer(synonyms);
  const texts = sections.flatMap(({ title, text, askedAs }) => [title, text, ...askedAs]);
  const uses = countWords([...texts, ...synonyms.flat()]);
  const spelling = createSpelling(uses, new Set(commonWords.split(' ')));
  const index = new PassageIndex(
    sections.map((section) => ({ ...section, kind: 'section' })),
    tokenizer,
  );

  /** The most used word that begins like this. */
  function complete(beginning: string): string {
    if (uses.has(beginning)) return beginning;
    const words = [...uses].filter(([word]) => word.startsWith(beginning));
    const [best] = words.sort(([, one], [, other]) => other - one);
    return best?.[0] ?? beginning;
  }

  return {
    find: (query) => {
      const searched = spelling.correct(plainText(query).replace(BEGINNING, complete));
      const tokens = new Set(tokenizer.tokensOf(searched));
      tokens.delete(WHAT_IS_TOKEN);
      return {
        searched,
        results: index.find(new Map([...tokens].map((token) => [token, 1]))),
        isMatch: (word) => tokenizer.tokensOf(word).some((token) => tokens.has(token)),
      };
    },
  };
}

let loading: Promise<SectionSearch> | null = null;

async function load(): Promise<SectionSearch> {
  const response = await request('GET', INDEX_PATH);
  const index: SectionIndex = await response.json();
  return createSectionSearch(index);
}

/** Loads the index once. After a failure the next call tries again. */
export function loadSectionSearch(): Promise<SectionSearch> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}
