import type { ResponseOf } from '../../data/contract/call.ts';
import type { chatDuckling } from '../../data/contract/chat.ts';
import type { Facts } from '../metrics/facts.ts';
import { askedFigure, askedWallet } from './asked-figure.ts';
import type { OpenedBook } from './chat-book.ts';
import { figureAnswer, walletAnswer } from './figure-answers.ts';
import { guardOf } from './guard.ts';
import type { FoundPassage } from './passage-index.ts';
import { smallTalkOf } from './small-talk.ts';

export type ChatAnswer = ResponseOf<typeof chatDuckling>;

/** An answer, and the passages that it may be put into other words from. */
export interface LocalAnswer extends Omit<ChatAnswer, 'by'> {
  readonly passages: readonly FoundPassage[];
}

/** Below this much of a question covered, a passage is of something else. */
const COVERED_AT_LEAST = 0.46;
/** A passage this close to the best is named beside it. */
const CLOSE = 0.75;
const SOURCES_AT_MOST = 3;
/** Characters of an answer; longer passages are told from their best part on. */
const ANSWER_LENGTH = 700;

const DISCLAIMER = { title: 'Risk disclaimer', href: '/disclaimer' };
const CONTACT = { title: 'Contact', href: '/contact' };
const SEED_PHRASE = { title: 'Will anyone from BlackDuck ask for my seed phrase?', href: '/faq#seed-phrase' };
/** A question about the project that names nothing. */
const WHAT_WE_DO = /\bwhat (?:do|are|is|does)\b/i;
const WHAT_WE_ARE = 'What is BlackDuck?';
/** The word that questions about what staking pays have in common, however they put it. */
const YIELD = 'yield';

/** The part of a passage that says most of what was asked, as far as an answer goes. */
function excerpt(text: string, asked: ReadonlySet<string>, book: OpenedBook): string {
  if (text.length <= ANSWER_LENGTH) return text;
  const parts = text.split('\n\n');
  const shared = parts.map(
    (part) => new Set(book.reader.wordsOf(part).filter((word) => asked.has(word))).size,
  );
  const best = shared.indexOf(Math.max(...shared));
  const told: string[] = [];
  let length = 0;
  for (const part of parts.slice(best)) {
    length += part.length;
    if (told.length > 0 && length > ANSWER_LENGTH) break;
    told.push(part);
  }
  return told.join('\n\n');
}

/** Answers from the portal's own pages and live figures alone. The same question at the same facts gives the same answer. */
export function answerLocally(message: string, facts: Facts, now: number, book: OpenedBook): LocalAnswer {
  const { words, reader, passages } = book;
  const guarded = guardOf(message);
  if (guarded === 'secret') {
    return {
      response: words.refusals.secret,
      kind: 'warning',
      sources: [SEED_PHRASE],
      source: 'guard:secret',
      passages: [],
    };
  }
  if (guarded !== null) {
    const sources = { advice: [DISCLAIMER], orders: [], keepSecret: [SEED_PHRASE] }[guarded];
    const source = `guard:${guarded}`;
    return { response: words.refusals[guarded], kind: 'refusal', sources, source, passages: [] };
  }
  const wallet = askedWallet(message);
  if (wallet) {
    const { text, href, title } = walletAnswer(wallet, facts, now, words);
    return {
      response: text,
      kind: 'figure',
      sources: [{ title, href }],
      source: 'figure:wallet',
      passages: [],
    };
  }
  const figure = askedFigure(message);
  if (figure) {
    const { text, href, title } = figureAnswer(figure, facts, now, words);
    return {
      response: text,
      kind: 'figure',
      sources: [{ title, href }],
      source: `figure:${figure}`,
      passages: [],
    };
  }
  const talk = smallTalkOf(message);
  if (talk) {
    return {
      response: words.smallTalk[talk],
      kind: 'small-talk',
      sources: [],
      source: 'small-talk',
      passages: [],
    };
  }
  const asked = reader.wordsOf(message).length === 0 && WHAT_WE_DO.test(message) ? WHAT_WE_ARE : message;
  return fromPassages(asked, book, passages.find(asked), new Set(reader.wordsOf(asked)));
}

function fromPassages(
  message: string,
  book: OpenedBook,
  found: readonly FoundPassage[],
  asked: ReadonlySet<string>,
): LocalAnswer {
  const { words } = book;
  const [best] = found;
  if (!best || best.coverage < COVERED_AT_LEAST) {
    const isForeign = best === undefined || best.coverage < COVERED_AT_LEAST / 2;
    const response = isForeign ? words.outOfScope : words.unknown;
    return { response, kind: 'unknown', sources: [CONTACT], source: 'unknown', passages: [] };
  }
  const near = found.filter(({ score }) => score >= best.score * CLOSE).slice(0, SOURCES_AT_MOST);
  const text = excerpt(best.passage.text, asked, book);
  const isOfYield = book.reader.wordsOf(`${message} ${best.passage.title}`).includes(YIELD);
  return {
    response: isOfYield ? `${text}\n\n${words.risk}` : text,
    kind: 'answer',
    sources: near.map(({ passage: { title, href } }) => ({ title, href })),
    source: best.passage.href,
    passages: near,
  };
}
