import MiniSearch, { type Options } from 'minisearch';
import { WHAT_IS_WORD, type WordReader } from './words.ts';

/** A part of a page that answers something. */
export interface Passage {
  /** Its address: `/faq#lock`. */
  readonly href: string;
  /** What stands above it: a question or a heading. */
  readonly title: string;
  /** The page's own title. */
  readonly page: string;
  /** Its words, without marks; a blank line between paragraphs. */
  readonly text: string;
  /** Other ways in which it is asked. */
  readonly askedAs: readonly string[];
}

/** A passage that may answer a question. */
export interface FoundPassage {
  readonly passage: Passage;
  readonly score: number;
  /** How much of the question's words it covers, from 0 to 1; a rare word weighs more, an unknown one most. */
  readonly coverage: number;
}

/** One way in: the title with the text, or a way in which it is asked. */
interface Entry {
  readonly id: string;
  readonly passage: number;
  readonly asked: string;
  readonly text: string;
}

/** Words up to this length are taken as they are. */
const SHORTEST_MISTYPED = 5;
/** What covering counts for by a word that is only near to one that is known. */
const MISTYPED = 0.5;
/** How many letters an unknown word may be from a known one to be taken for it. */
const FUZZY = 1;
const WEIGHTS = { asked: 4, text: 1 } as const;
/** How MiniSearch's BM25+ counts repetition and length: found by trying on the questions of `bench/chat`. */
const LENGTHS = { k: 1.4, b: 0.7, d: 0.3 } as const;
/** What counts of every other way into a passage that was found too, beside its best. */
const OTHER_WAYS = 0.4;
/** What a passage keeps of its score that covers nothing of the question. */
const UNCOVERED = 0.2;

/** A line of ways of asking holds several. */
const WAY_ENDS = /, | or /;

function options(reader: WordReader): Options<Entry> {
  return {
    fields: ['asked', 'text'],
    storeFields: ['passage'],
    tokenize: (text) => [...reader.wordsOf(text)],
    processTerm: (word) => word,
  };
}

function entriesOf(passages: readonly Passage[]): Entry[] {
  return passages.flatMap(({ title, text, askedAs }, passage) => [
    { id: `${passage}`, passage, asked: title, text },
    ...askedAs
      .flatMap((line) => line.split(WAY_ENDS))
      .map((asked, way) => ({ id: `${passage}.${way}`, passage, asked, text: '' })),
  ]);
}

/** The index of passages as text, to be made once. */
export function writeIndex(passages: readonly Passage[], reader: WordReader): string {
  const index = new MiniSearch<Entry>(options(reader));
  index.addAll(entriesOf(passages));
  return JSON.stringify(index);
}

/** Finds the passages that a question is about. */
export class PassageIndex {
  readonly #index: MiniSearch<Entry>;
  readonly #passages: readonly Passage[];
  readonly #reader: WordReader;
  /** In how many passages a word stands. */
  readonly #spread = new Map<string, number>();

  constructor(written: string, passages: readonly Passage[], reader: WordReader) {
    this.#index = MiniSearch.loadJSON<Entry>(written, options(reader));
    this.#passages = passages;
    this.#reader = reader;
    for (const { title, text, askedAs } of passages) {
      for (const word of new Set(reader.wordsOf([title, text, ...askedAs].join('\n')))) {
        this.#spread.set(word, (this.#spread.get(word) ?? 0) + 1);
      }
    }
  }

  /** Whether a word stands anywhere in the passages. */
  knows(word: string): boolean {
    return this.#spread.has(word);
  }

  #weight(word: string): number {
    const passages = this.#passages.length;
    const spread = this.#spread.get(word) ?? 0;
    return Math.log(1 + (passages - spread + 0.5) / (spread + 0.5));
  }

  /** How sure it is that a word of a question means what it found. */
  #certainty(word: string): number {
    return this.knows(word) ? 1 : MISTYPED;
  }

  /** The passages that share words with a question, best first. */
  find(question: string): readonly FoundPassage[] {
    const asked = [...new Set(this.#reader.wordsOf(question))];
    const weightOf = (word: string) => (word === WHAT_IS_WORD ? 0 : this.#weight(word));
    const whole = asked.reduce((sum, word) => sum + weightOf(word), 0);
    if (whole === 0) return [];
    const ways = this.#index.search(asked.join(' '), {
      // The words were read already: read again they would be others.
      tokenize: (words) => words.split(' '),
      boost: WEIGHTS,
      bm25: LENGTHS,
      fuzzy: (word) => (word.length > SHORTEST_MISTYPED && !this.knows(word) ? FUZZY : false),
    });
    const found = new Map<number, { scores: number[]; covered: Set<string> }>();
    for (const { passage, score, queryTerms } of ways) {
      const known = found.get(passage) ?? { scores: [], covered: new Set<string>() };
      known.scores.push(score);
      for (const word of queryTerms) known.covered.add(word);
      found.set(passage, known);
    }
    return [...found]
      .flatMap(([number, { scores, covered }]) => {
        const passage = this.#passages[number];
        if (!passage) return [];
        const best = Math.max(...scores);
        const others = scores.reduce((sum, score) => sum + score, -best);
        const coverage =
          [...covered].reduce((sum, word) => sum + this.#certainty(word) * weightOf(word), 0) / whole;
        return [{ passage, score: (best + OTHER_WAYS * others) * (UNCOVERED + coverage), coverage }];
      })
      .sort((one, other) => other.score - one.score);
  }
}
