import MiniSearch, { type Options } from 'minisearch';
import { type Tokenizer, WHAT_IS_TOKEN } from './tokenizer.ts';

/** A part of a page with its own address. */
export interface Passage {
  /** `/faq#lock`. */
  readonly href: string;
  /** The question or heading. */
  readonly title: string;
  /** The page's own title. */
  readonly page: string;
  /** Without markup, with a blank line between paragraphs. */
  readonly text: string;
  /** Other phrasings of the question. */
  readonly askedAs: readonly string[];
}

export interface FoundPassage {
  readonly passage: Passage;
  readonly score: number;
  /** The share of the question that the passage covers, from 0 to 1. Rare tokens weigh more, unknown ones most. */
  readonly coverage: number;
}

/** One document in the index: a passage's title and text, or another phrasing of its question. */
interface Entry {
  readonly id: string;
  /** The passage's position in the list. */
  readonly passage: number;
  readonly question: string;
  readonly text: string;
}

/** Words up to this length only match exactly. */
const MAX_EXACT_LENGTH = 5;
/** The certainty of an approximate match. */
const APPROXIMATE = 0.5;
/** Letters by which a token may differ in an approximate match. */
const MAX_EDITS = 1;
const WEIGHTS = { question: 4, text: 1 } as const;
/** Parameters of MiniSearch's BM25+, chosen with the questions in `bench/chat`. */
const BM25 = { k: 1.4, b: 0.7, d: 0.3 } as const;
/** The weight of a passage's matching entries other than the best one. */
const OTHER_ENTRIES = 0.4;
/** Added to the coverage when it scales the score. */
const BASE_COVERAGE = 0.2;

/** Separates phrasings in one line. */
const SEPARATORS = /, | or /;

function options(tokenizer: Tokenizer): Options<Entry> {
  return {
    fields: ['question', 'text'],
    storeFields: ['passage'],
    tokenize: (text) => [...tokenizer.tokensOf(text)],
    processTerm: (token) => token,
  };
}

function entriesOf(passages: readonly Passage[]): Entry[] {
  return passages.flatMap(({ title, text, askedAs }, passage) => [
    { id: `${passage}`, passage, question: title, text },
    ...askedAs
      .flatMap((line) => line.split(SEPARATORS))
      .map((question, number) => ({ id: `${passage}.${number}`, passage, question, text: '' })),
  ]);
}

/** Builds and serializes the search index. */
export function writeIndex(passages: readonly Passage[], tokenizer: Tokenizer): string {
  const index = new MiniSearch<Entry>(options(tokenizer));
  index.addAll(entriesOf(passages));
  return JSON.stringify(index);
}

export class PassageIndex {
  readonly #index: MiniSearch<Entry>;
  readonly #passages: readonly Passage[];
  readonly #tokenizer: Tokenizer;
  /** The number of passages that contain a token. */
  readonly #frequency = new Map<string, number>();

  constructor(serialized: string, passages: readonly Passage[], tokenizer: Tokenizer) {
    this.#index = MiniSearch.loadJSON<Entry>(serialized, options(tokenizer));
    this.#passages = passages;
    this.#tokenizer = tokenizer;
    for (const { title, text, askedAs } of passages) {
      for (const token of new Set(tokenizer.tokensOf([title, text, ...askedAs].join('\n')))) {
        this.#frequency.set(token, (this.#frequency.get(token) ?? 0) + 1);
      }
    }
  }

  /** Whether any passage contains a token. */
  knows(token: string): boolean {
    return this.#frequency.has(token);
  }

  /** Inverse document frequency. */
  #weight(token: string): number {
    const passages = this.#passages.length;
    const frequency = this.#frequency.get(token) ?? 0;
    return Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));
  }

  /** The passages that share tokens with a question, best first. */
  find(question: string): readonly FoundPassage[] {
    const tokens = [...new Set(this.#tokenizer.tokensOf(question))];
    const weightOf = (token: string) => (token === WHAT_IS_TOKEN ? 0 : this.#weight(token));
    const total = tokens.reduce((sum, token) => sum + weightOf(token), 0);
    if (total === 0) return [];
    const entries = this.#index.search(tokens.join(' '), {
      // The query consists of tokens. Tokenizing them again would change them.
      tokenize: (joined) => joined.split(' '),
      boost: WEIGHTS,
      bm25: BM25,
      fuzzy: (token) => (token.length > MAX_EXACT_LENGTH && !this.knows(token) ? MAX_EDITS : false),
    });
    const found = new Map<number, { scores: number[]; covered: Set<string> }>();
    for (const { passage, score, queryTerms } of entries) {
      const known = found.get(passage) ?? { scores: [], covered: new Set<string>() };
      known.scores.push(score);
      for (const token of queryTerms) known.covered.add(token);
      found.set(passage, known);
    }
    return [...found]
      .flatMap(([number, { scores, covered }]) => {
        const passage = this.#passages[number];
        if (!passage) return [];
        const best = Math.max(...scores);
        const others = scores.reduce((sum, score) => sum + score, -best);
        // An unknown token matched approximately.
        const certainty = (token: string) => (this.knows(token) ? 1 : APPROXIMATE);
        const coverage =
          [...covered].reduce((sum, token) => sum + certainty(token) * weightOf(token), 0) / total;
        return [{ passage, score: (best + OTHER_ENTRIES * others) * (BASE_COVERAGE + coverage), coverage }];
      })
      .sort((one, other) => other.score - one.score);
  }
}
