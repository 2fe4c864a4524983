import { type Tokenizer, WHAT_IS_TOKEN } from './tokenizer.ts';

/** Something that answers a question: a part of a page, a short fact, or a live number. */
export interface Passage {
  /** The page and section with the details: `/faq#lock`. */
  readonly href: string;
  /** The question or heading. */
  readonly title: string;
  /** The page's own title. */
  readonly page: string;
  /** Without markup, with a blank line between paragraphs and table rows. */
  readonly text: string;
  readonly askedAs: readonly string[];
  /**
   * `fact`: the text is one sentence, which answers a question by itself. `figure`: a live number, which the field `figure`
   * names. `own-stake`: the stake of the visitor's wallet.
   */
  readonly kind: 'section' | 'fact' | 'figure' | 'own-stake';
  readonly figure?: string | undefined;
}

export interface FoundPassage {
  readonly passage: Passage;
  /**
   * From 0 (no common words) to about 1 (the question equals a phrasing of the passage, and the passage's text contains all
   * words of the question).
   */
  readonly score: number;
  /** How similar the closest phrasing is to the question, from 0 to 1. For a title, the maximum is `TITLE_FACTOR`. */
  readonly likeness: number;
  /** The paragraphs and rows that share tokens with the question, best match first. */
  readonly parts: readonly string[];
}

/** The tokens of a question with their weights from 0 to 1. Tokens of the previous question weigh less. */
export type Query = ReadonlyMap<string, number>;

/**
 * The weights of the parts of a score. `likeness`: a phrasing of the passage shares most of its tokens with the question.
 * `coverage`: the question's tokens occur anywhere in the passage. `part`: they occur in one paragraph. The weights were tuned
 * on the question set `registers` in `bench/chat`.
 */
const WEIGHTS = { likeness: 1, coverage: 0.75, part: 0.4 } as const;
const WEIGHT_SUM = WEIGHTS.likeness + WEIGHTS.coverage + WEIGHTS.part;
/**
 * The weight of recall in the likeness, which is the weighted mean of recall and Dice's coefficient. Unlike recall, Dice's
 * coefficient is lower for longer phrasings.
 */
const RECALL_WEIGHT = 0.4;

/** The factor for the likeness of a title, so that a title beats an equally close phrasing of another passage. */
const TITLE_FACTOR = 1.05;

const UNKNOWN_RARITY = 3;

/** Separates phrasings that are on one line. */
export const PHRASING_SEPARATOR = /, | or /;

interface Entry {
  readonly passage: Passage;
  /** The first phrasing of a section is its title. */
  readonly phrasings: readonly ReadonlySet<string>[];
  readonly parts: readonly { readonly text: string; readonly tokens: ReadonlySet<string> }[];
  readonly allTokens: ReadonlySet<string>;
}

function entryOf(passage: Passage, tokensOf: Tokenizer['tokensOf']): Entry {
  const { title, page, text, askedAs, kind } = passage;
  const setOf = (line: string) => new Set(tokensOf(line).filter((token) => token !== WHAT_IS_TOKEN));
  // A fact has the same title as its section, so its title is not a phrasing.
  const titles = kind === 'section' ? [title] : [];
  const phrasings = [...titles, ...askedAs.flatMap((line) => line.split(PHRASING_SEPARATOR))]
    .map(setOf)
    .filter(({ size }) => size > 0);
  const parts = text.split('\n\n').map((part) => ({ text: part, tokens: setOf(part) }));
  const allTokens = new Set(
    [...phrasings, ...parts.map(({ tokens }) => tokens), setOf(page)].flatMap((set) => [...set]),
  );
  return { passage, phrasings, parts, allTokens };
}

export class PassageIndex {
  readonly #entries: readonly Entry[];
  /** The number of passages that contain a token. */
  readonly #frequency = new Map<string, number>();

  constructor(passages: readonly Passage[], { tokensOf }: Tokenizer) {
    this.#entries = passages.map((passage) => entryOf(passage, tokensOf));
    for (const { allTokens } of this.#entries) {
      for (const token of allTokens) this.#frequency.set(token, (this.#frequency.get(token) ?? 0) + 1);
    }
  }

  knows(token: string): boolean {
    return this.#frequency.has(token);
  }

  /** Inverse document frequency. */
  #rarity(token: string): number {
    const frequency = this.#frequency.get(token) ?? 0;
    return Math.log(1 + (this.#entries.length - frequency + 0.5) / (frequency + 0.5));
  }

  /**
   * The passages that share tokens with a question, best first.
   * @param unknownWeight the weight of the question's words that no passage contains, as a multiple of `UNKNOWN_RARITY`
   */
  find(query: Query, unknownWeight = 0): readonly FoundPassage[] {
    const weights = new Map<string, number>();
    for (const [token, weight] of query) {
      if (this.knows(token)) weights.set(token, weight * this.#rarity(token));
    }
    const total =
      [...weights.values()].reduce((sum, weight) => sum + weight, 0) + unknownWeight * UNKNOWN_RARITY;
    if (weights.size === 0) return [];
    const sharedWeight = (tokens: ReadonlySet<string>) => {
      let sum = 0;
      for (const [token, weight] of weights) if (tokens.has(token)) sum += weight;
      return sum;
    };
    const likenessTo = (phrasing: ReadonlySet<string>) => {
      const common = sharedWeight(phrasing);
      if (common === 0) return 0;
      let size = 0;
      for (const token of phrasing) size += this.#rarity(token);
      return RECALL_WEIGHT * (common / total) + (1 - RECALL_WEIGHT) * ((2 * common) / (size + total));
    };
    return this.#entries
      .flatMap(({ passage, phrasings, parts, allTokens }) => {
        const common = sharedWeight(allTokens);
        if (common === 0) return [];
        const matching = parts
          .map(({ text, tokens }) => ({ text, share: sharedWeight(tokens) }))
          .filter(({ share }) => share > 0)
          .sort((one, other) => other.share - one.share);
        const [title, ...others] = phrasings.map(likenessTo);
        const likeness = Math.max((title ?? 0) * TITLE_FACTOR, ...others);
        const score =
          (WEIGHTS.likeness * likeness +
            WEIGHTS.coverage * (common / total) +
            // An answer often does not repeat the words of its question. A high likeness therefore replaces a low share of common
            // tokens.
            WEIGHTS.part * Math.max((matching[0]?.share ?? 0) / total, likeness)) /
          WEIGHT_SUM;
        return [{ passage, score, likeness, parts: matching.map(({ text }) => text) }];
      })
      .sort((one, other) => other.score - one.score);
  }
}
