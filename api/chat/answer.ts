import type { ResponseOf } from '../../data/contract/call.ts';
import type { chatDuckling } from '../../data/contract/chat.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { OpenedBook } from './chat-book.ts';
import { figureAnswer, walletAnswer } from './figure-answers.ts';
import { findGuard } from './guard.ts';
import type { FoundPassage } from './passage-index.ts';
import { findSmallTalk, requestedFigure, requestedWallet } from './question-kind.ts';

export type ChatAnswer = ResponseOf<typeof chatDuckling>;

/** An answer, with the passages from which a language model may reword it. */
export interface LocalAnswer extends Omit<ChatAnswer, 'by'> {
  readonly passages: readonly FoundPassage[];
}

/** A passage that covers a smaller share of the question is about something else. */
const MIN_COVERAGE = 0.46;
/** Passages with at least this share of the best score are named as sources too. */
const MIN_SHARE_OF_BEST = 0.75;
const MAX_SOURCES = 3;
/** Characters of an answer. A longer passage is cut to its best part. */
const MAX_ANSWER_LENGTH = 700;

const DISCLAIMER = { title: 'Risk disclaimer', href: '/disclaimer' };
const CONTACT = { title: 'Contact', href: '/contact' };
const SEED_PHRASE = '/faq#seed-phrase';
/** Matches a "what" question. If it has no words to search for ("what do you do"), it is about the project. */
const WHAT_WE_DO = /\bwhat (?:do|are|is|does)\b/i;
const WHAT_WE_ARE = 'What is BlackDuck?';
/** The token for yield and its synonyms. */
const YIELD = 'yield';

/** Cuts a passage to the part that shares the most tokens with the question. */
function excerpt(text: string, tokens: ReadonlySet<string>, book: OpenedBook): string {
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  const parts = text.split('\n\n');
  const shared = parts.map(
    (part) => new Set(book.tokenizer.tokensOf(part).filter((token) => tokens.has(token))).size,
  );
  const best = shared.indexOf(Math.max(...shared));
  const chosen: string[] = [];
  let length = 0;
  for (const part of parts.slice(best)) {
    length += part.length;
    if (chosen.length > 0 && length > MAX_ANSWER_LENGTH) break;
    chosen.push(part);
  }
  return chosen.join('\n\n');
}

/** Answers from the portal's pages and live figures. The same question with the same figures gets the same answer. */
export function answerLocally(
  message: string,
  facts: FigureInputs,
  now: number,
  book: OpenedBook,
): LocalAnswer {
  const { texts, titles, tokenizer, passages } = book;
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
  if (wallet) {
    const { text, href, title } = walletAnswer(wallet, facts, now, texts);
    return fixed('figure', 'figure:wallet', text, [{ title, href }]);
  }
  const figure = requestedFigure(message);
  if (figure) {
    const { text, href, title } = figureAnswer(figure, facts, now, texts);
    return fixed('figure', `figure:${figure}`, text, [{ title, href }]);
  }
  const talk = findSmallTalk(message);
  if (talk) return fixed('small-talk', 'small-talk', texts.smallTalk[talk]);
  const question =
    tokenizer.tokensOf(message).length === 0 && WHAT_WE_DO.test(message) ? WHAT_WE_ARE : message;
  return fromPassages(question, book, passages.find(question));
}

function fromPassages(message: string, book: OpenedBook, found: readonly FoundPassage[]): LocalAnswer {
  const { texts, tokenizer } = book;
  const [best] = found;
  if (!best || best.coverage < MIN_COVERAGE) {
    const isUnrelated = best === undefined || best.coverage < MIN_COVERAGE / 2;
    const response = isUnrelated ? texts.outOfScope : texts.unknown;
    return { response, kind: 'unknown', sources: [CONTACT], source: 'unknown', passages: [] };
  }
  const near = found.filter(({ score }) => score >= best.score * MIN_SHARE_OF_BEST).slice(0, MAX_SOURCES);
  const text = excerpt(best.passage.text, new Set(tokenizer.tokensOf(message)), book);
  const isAboutYield = tokenizer.tokensOf(`${message} ${best.passage.title}`).includes(YIELD);
  return {
    response: isAboutYield ? `${text}\n\n${texts.risk}` : text,
    kind: 'answer',
    sources: near.map(({ passage: { title, href } }) => ({ title, href })),
    source: best.passage.href,
    passages: near,
  };
}
