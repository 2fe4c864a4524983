import type { ResponseOf } from '../../data/contract/call.ts';
import type { chatDuckling } from '../../data/contract/chat.ts';
import { FACTS } from '../../data/model/facts/facts.ts';
import type { FoundPassage } from '../../data/model/search/passage-index.ts';
import { plainText } from '../../data/model/search/tokenizer.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { OpenedBook } from './chat-book.ts';
import { figureAnswer, walletAnswer } from './figure-answers.ts';
import { findGuard } from './guard.ts';
import { detectLanguage } from './language.ts';
import { completeQuery, referenceTo } from './query.ts';
import { findSmallTalk, REQUESTED_FIGURES, requestedWallet } from './question-kind.ts';

export type ChatAnswer = ResponseOf<typeof chatDuckling>;

/** An answer, with the passages from which a language model may reword it. */
export interface LocalAnswer extends Omit<ChatAnswer, 'by'> {
  readonly passages: readonly FoundPassage[];
}

/** From this confidence on the best passage is the answer. */
const ANSWERS = 0.86;
/** From this confidence on the best passages are offered as what the question may mean. */
const SUGGESTS = 0.28;
/** From this likeness on a question is one of the known phrasings. */
const EXACT = 0.93;
/** Passages with at least this share of the best score are named as sources too. */
const MIN_SHARE_OF_BEST = 0.85;
const MAX_SOURCES = 3;
/** Characters of an answer, and of each suggestion. A longer passage is cut to its best part. */
const MAX_ANSWER_LENGTH = 700;
const MAX_SUGGESTION_LENGTH = 320;
/** Weights of words that no passage contains: a rare one may be the subject, a common one rarely is. */
const UNKNOWN_WEIGHT = { rare: 1, common: 0.6 } as const;

const DISCLAIMER = { title: 'Risk disclaimer', href: '/disclaimer' };
const CONTACT = { title: 'Contact', href: '/contact' };
const SEED_PHRASE = '/faq#seed-phrase';
/** Matches a "what" question. If it has no words to search for ("what do you do"), it is about the project. */
const WHAT_WE_DO = /\bwhat (?:do|are|is|does)\b/i;
const WHAT_WE_ARE = 'What is BlackDuck?';

/** Shortens a passage to the parts that share most with the question, in their order. */
function excerpt({ passage: { text }, parts }: FoundPassage, most: number): string {
  if (text.length <= most) return text;
  const all = text.split('\n\n');
  const chosen = new Set<string>();
  let length = 0;
  for (const part of [...parts, ...all]) {
    if (chosen.has(part) || (chosen.size > 0 && length + part.length > most)) continue;
    chosen.add(part);
    length += part.length;
  }
  return all.filter((part) => chosen.has(part)).join('\n\n');
}

interface AnswerContext {
  readonly facts: FigureInputs;
  /** Unix ms. */
  readonly now: number;
  readonly book: OpenedBook;
  /** The questions before this one, latest first. */
  readonly earlier?: readonly string[];
  /** The wallet that the visitor proved, for questions about its own stake. */
  readonly wallet?: string | null;
}

/** Answers from the portal's pages and live figures. The same question with the same figures gets the same answer. */
export function answerLocally(message: string, context: AnswerContext): LocalAnswer {
  const { texts, titles, spelling } = context.book;
  const fixed = (
    kind: LocalAnswer['kind'],
    source: string,
    response: string,
    sources: LocalAnswer['sources'] = [],
  ): LocalAnswer => ({ response, kind, sources, source, passages: [] });

  const guard = findGuard(message);
  if (guard !== null) {
    const seedPhrase = { title: titles.get(SEED_PHRASE) ?? 'Seed phrase', href: SEED_PHRASE };
    const sources = { advice: [DISCLAIMER], orders: [], secret: [seedPhrase], keepSecret: [seedPhrase] };
    const kind = guard === 'secret' ? 'warning' : 'refusal';
    return fixed(kind, `guard:${guard}`, texts.refusals[guard], sources[guard]);
  }
  const wallet = requestedWallet(message);
  if (wallet) return walletFigure(wallet, context);
  const talk = findSmallTalk(message);
  if (talk) return fixed('small-talk', 'small-talk', texts.smallTalk[talk]);
  const language = detectLanguage(message);
  const earlier = context.earlier?.map(spelling.correct) ?? [];
  const question = language ? plainText(message) : spelling.correct(message);
  const found = find(question, { ...context, earlier }, language !== null);
  const answer = answerFrom(found, context);
  if (!language) return answer;
  const isFound = answer.kind !== 'unknown' || answer.response.startsWith(texts.didYouMean);
  const notice = isFound ? texts.languages[language] : texts.notFound[language];
  return { ...answer, response: `${notice}\n\n${answer.response}` };
}

function walletFigure(wallet: string, { facts, now, book }: AnswerContext): LocalAnswer {
  const { text, href, title } = walletAnswer(wallet, facts, now, book.texts);
  return {
    response: text,
    kind: 'figure',
    sources: [{ title, href }],
    source: 'figure:wallet',
    passages: [],
  };
}

interface Found {
  /** Best first. */
  readonly passages: readonly FoundPassage[];
  /** The probability that the best passage answers the question. */
  readonly confidence: number;
}

/**
 * The probability that a passage answers a question: a logistic regression on the sets `registers` and `support` of
 * `bench/chat`. The same score says more about a long question than about a short one, and more if the next passage is far
 * behind.
 */
function confidenceOf(
  [best, ...others]: readonly FoundPassage[],
  tokens: number,
  isFollowUp: boolean,
): number {
  if (!best) return 0;
  const { score, likeness, passage } = best;
  const next = others.find((other) => other.passage.href !== passage.href)?.score ?? 0;
  const evidence =
    -4.8 +
    3.08 * score +
    2.69 * score ** 2 +
    0.37 * (score - next) +
    3.72 * (Math.min(tokens, 8) / 8) +
    (isFollowUp ? 2.02 : 0) +
    (passage.kind === 'fact' ? 0.47 : 0) +
    (passage.kind === 'figure' || passage.kind === 'own-stake' ? 0.85 : 0) +
    (likeness > EXACT ? 0.66 : 0);
  return 1 / (1 + Math.exp(-evidence));
}

/** @param isForeign whether the question is in another language, whose words are mostly unknown */
function find(
  question: string,
  { book, earlier = [], wallet = null }: Pick<AnswerContext, 'book' | 'earlier' | 'wallet'>,
  isForeign = false,
): Found {
  const { tokenizer, passages, commonWords } = book;
  const tokens = tokenizer.tokensOf(question);
  if (tokens.length === 0 && earlier.length === 0) {
    return WHAT_WE_DO.test(question) ? find(WHAT_WE_ARE, { book }) : { passages: [], confidence: 0 };
  }
  const unknown = (question.match(/\p{L}{3,}/gu) ?? []).reduce((sum, word) => {
    const token = tokenizer.tokenOf(word);
    if (isForeign || token === null || passages.knows(token)) return sum;
    return sum + (commonWords.has(word) ? UNKNOWN_WEIGHT.common : UNKNOWN_WEIGHT.rare);
  }, 0);
  const search = (turns: readonly string[]): Found => {
    const found = passages
      .find(completeQuery(question, turns, tokenizer.tokensOf), unknown)
      .filter(({ passage: { kind } }) => kind !== 'own-stake' || (wallet !== null && turns.length === 0));
    return { passages: found, confidence: confidenceOf(found, tokens.length, turns.length > 0) };
  };
  const alone = search([]);
  const reference = earlier.length === 0 ? 'none' : referenceTo(question, tokens);
  // A short question that is one of the known phrasings is complete.
  const isComplete = reference === 'short' && (alone.passages[0]?.likeness ?? 0) > EXACT;
  return reference === 'none' || isComplete ? alone : search(earlier);
}

/** The best passages of different sections. */
function differentSections(found: readonly FoundPassage[]): readonly FoundPassage[] {
  const byHref = new Map<string, FoundPassage>();
  for (const one of found) if (!byHref.has(one.passage.href)) byHref.set(one.passage.href, one);
  return [...byHref.values()].slice(0, MAX_SOURCES);
}

const sourceOf = ({ passage: { href, title } }: FoundPassage) => ({ href, title });

function figureOf({ passage }: FoundPassage, { facts, now, book }: AnswerContext) {
  const figure = REQUESTED_FIGURES.find((name) => name === passage.figure);
  return figure ? { figure, ...figureAnswer(figure, facts, now, book.texts) } : null;
}

/** The text of a suggestion: the question and the beginning of its answer. */
function suggestion(one: FoundPassage, context: AnswerContext): string {
  const { kind, title, text } = one.passage;
  const figure = figureOf(one, context);
  if (figure) return figure.text;
  return kind === 'fact' ? text : `${title}\n${excerpt(one, MAX_SUGGESTION_LENGTH)}`;
}

function answerFrom({ passages: found, confidence }: Found, context: AnswerContext): LocalAnswer {
  const { texts } = context.book;
  const [best] = found;
  const nearest = differentSections(found.filter(({ passage: { kind } }) => kind !== 'own-stake'));
  if (!best || confidence < ANSWERS) {
    const isSuggested = confidence >= SUGGESTS;
    const lines = isSuggested
      ? [texts.didYouMean, ...nearest.map((one) => suggestion(one, context))]
      : [texts.unknown];
    const sources = nearest
      .map((one) => figureOf(one, context) ?? sourceOf(one))
      .map(({ href, title }) => ({ href, title }));
    return {
      response: lines.join('\n\n'),
      kind: 'unknown',
      sources: [...sources, CONTACT],
      source: 'unknown',
      passages: [],
    };
  }
  if (best.passage.kind === 'own-stake' && context.wallet) return walletFigure(context.wallet, context);
  const figure = figureOf(best, context);
  if (figure) {
    const { text, href, title } = figure;
    return {
      response: text,
      kind: 'figure',
      sources: [{ title, href }],
      source: `figure:${figure.figure}`,
      passages: [],
    };
  }
  const { passage } = best;
  const near = nearest.filter(
    ({ score, passage: { kind } }) => kind !== 'figure' && score >= best.score * MIN_SHARE_OF_BEST,
  );
  const text =
    passage.kind === 'fact' ? passage.text : `${passage.title}\n\n${excerpt(best, MAX_ANSWER_LENGTH)}`;
  const isAboutYield = passage.kind === 'section' && passage.text.includes(FACTS.statedYield);
  return {
    response: isAboutYield ? `${text}\n\n${texts.risk}` : text,
    kind: 'answer',
    sources: near.map(sourceOf),
    source: passage.href,
    passages: near,
  };
}
