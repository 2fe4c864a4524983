import type { ResponseOf } from '../../data/contract/call.ts';
import type { chatDuckling } from '../../data/contract/chat.ts';
import { FACTS } from '../../data/model/facts/facts.ts';
import type { FoundPassage } from '../../data/model/search/passage-index.ts';
import type { WalletSubmission } from '../../data/store/submission-port.ts';
import type { FigureInputs } from '../metrics/figure.ts';
import type { OpenedBook } from './chat-book.ts';
import { figureAnswer, walletAnswer } from './figure-answers.ts';
import type { FoundSubjects, Subject } from './find-answer.ts';
import { REQUESTED_FIGURES } from './question-kind.ts';

export type ChatAnswer = ResponseOf<typeof chatDuckling>;

/** An answer, and the passages that a language model may use to reword it. */
export interface LocalAnswer extends Omit<ChatAnswer, 'by'> {
  readonly passages: readonly FoundPassage[];
}

export interface AnswerContext {
  readonly inputs: FigureInputs;
  /** Unix ms. */
  readonly now: number;
  readonly book: OpenedBook;
  /** The earlier questions, latest first. */
  readonly earlier?: readonly string[];
  /** The visitor's proven wallet, for questions about its stake and submissions. */
  readonly wallet?: string | null;
  /** The latest submissions that name this wallet, newest first; null if they could not be read. */
  readonly records?: readonly WalletSubmission[] | null;
}

/** With at least this confidence, the best subject is the answer. */
const ANSWER_THRESHOLD = 0.6;
/** With at least this confidence, the best subjects are offered as suggestions. */
const SUGGESTION_THRESHOLD = 0.15;
/**
 * A fact is part of the answer if its probability is at least this share of the best passage's probability. At most two
 * facts precede the section.
 */
const MIN_SHARE_OF_FACT = 0.08;
const MAX_FACTS = 2;
/** A subject is also named as a source if its rank is at most this much below the best rank. */
const MAX_RANK_GAP = 0.3;
const MAX_SOURCES = 3;
/**
 * The maximum number of characters in a single answer, in each of two answers, and in each suggestion. A longer passage is
 * shortened to its best parts.
 */
const MAX_ANSWER_LENGTH = 900;
const MAX_HALF_LENGTH = 600;
const MAX_SUGGESTION_LENGTH = 320;

const FAQ = '/faq#';
const CONTACT = { title: 'Contact', href: '/contact' };

/**
 * Shortens a passage to the parts that match the question best, in their original order. If rows of a table are kept, so is
 * the table's header row.
 */
export function shortenPassage(
  {
    passage: { text },
    parts,
  }: { readonly passage: { readonly text: string }; readonly parts: readonly string[] },
  maxLength: number,
): string {
  if (text.length <= maxLength) return text;
  const allParts = text.split('\n\n');
  const chosenParts = new Set<string>();
  let length = 0;
  for (const part of [...parts, ...allParts]) {
    if (chosenParts.has(part) || (chosenParts.size > 0 && length + part.length > maxLength)) continue;
    chosenParts.add(part);
    length += part.length;
  }
  const isRow = (part: string | undefined) => part?.includes('\t') ?? false;
  const isTableHead = (part: string, partIndex: number) => {
    const end = allParts.findIndex((other, index) => index > partIndex && !isRow(other));
    const rows = allParts.slice(partIndex + 1, end === -1 ? undefined : end);
    return isRow(part) && !isRow(allParts[partIndex - 1]) && rows.some((row) => chosenParts.has(row));
  };
  return allParts
    .filter((part, partIndex) => chosenParts.has(part) || isTableHead(part, partIndex))
    .join('\n\n');
}

const sourceOf = ({ passage: { href, title } }: FoundPassage) => ({ href, title });

function figureOf({ passage }: FoundPassage, { inputs, now, book }: AnswerContext) {
  const figure = REQUESTED_FIGURES.find((name) => name === passage.figure);
  return figure ? { figure, ...figureAnswer(figure, inputs, now, book.texts) } : null;
}

export function walletStakeAnswer(wallet: string, { inputs, now, book }: AnswerContext): LocalAnswer {
  const { text, href, title } = walletAnswer(wallet, inputs, now, book.texts);
  return {
    response: text,
    kind: 'figure',
    sources: [{ title, href }],
    source: 'figure:wallet',
    passages: [],
  };
}

/** The facts of a subject that answer the question, followed by their section. */
function textOf({ candidates }: Subject, maxLength: number): string {
  const [best] = candidates;
  const facts = candidates
    .filter(({ passage }) => passage.kind === 'fact')
    .filter((fact) => fact === best || fact.probability >= best.probability * MIN_SHARE_OF_FACT)
    .slice(0, MAX_FACTS)
    .map(({ passage }) => passage.text);
  const section = candidates.find(({ passage }) => passage.kind === 'section');
  return [...facts, ...(section ? [section.passage.title, shortenPassage(section, maxLength)] : [])].join(
    '\n\n',
  );
}

function answerPartOf(subject: Subject, maxLength: number, context: AnswerContext) {
  const [best] = subject.candidates;
  const figure = figureOf(best, context);
  return figure
    ? { text: figure.text, source: `figure:${figure.figure}`, page: figure, passages: [] }
    : { text: textOf(subject, maxLength), source: subject.href, page: sourceOf(best), passages: [best] };
}

/** Composes an answer from the subjects found, however low the confidence is. */
export function answerFromSubjects(
  { answers, subjects }: FoundSubjects,
  context: AnswerContext,
): LocalAnswer | null {
  const [first] = answers;
  if (!first) return null;
  if (first.candidates[0].passage.kind === 'own-stake' && context.wallet) {
    return walletStakeAnswer(context.wallet, context);
  }
  const maxLength = answers.length > 1 ? MAX_HALF_LENGTH : MAX_ANSWER_LENGTH;
  const answerParts = answers.map((subject) => answerPartOf(subject, maxLength, context));
  const [best] = answerParts;
  const nearCandidates = subjects
    .filter((subject) => !answers.includes(subject) && subject.rank >= first.rank - MAX_RANK_GAP)
    .map(({ candidates: [one] }) => one)
    .filter(({ passage: { kind } }) => kind === 'section' || kind === 'fact');
  const text = answerParts.map((part) => part.text).join('\n\n');
  const isAboutYield = text.includes(FACTS.statedYield);
  const isFigure = figureOf(first.candidates[0], context) !== null;
  return {
    response: isAboutYield ? `${text}\n\n${context.book.texts.risk}` : text,
    kind: isFigure ? 'figure' : 'answer',
    sources: [
      ...answerParts.map(({ page: { href, title } }) => ({ href, title })),
      ...nearCandidates.map(sourceOf),
    ].slice(0, MAX_SOURCES),
    source: best?.source ?? first.href,
    passages: [...answerParts.flatMap(({ passages }) => passages), ...nearCandidates].slice(0, MAX_SOURCES),
  };
}

function suggestionText({ candidates: [best] }: Subject, context: AnswerContext): string {
  const { kind, title, text } = best.passage;
  const figure = figureOf(best, context);
  if (figure) return figure.text;
  return kind === 'fact' ? text : `${title}\n${shortenPassage(best, MAX_SUGGESTION_LENGTH)}`;
}

export function suggestAnswers({ subjects, confidence }: FoundSubjects, context: AnswerContext): LocalAnswer {
  const { texts } = context.book;
  const nearestSubjects = subjects
    .filter(({ candidates: [{ passage }] }) => passage.kind !== 'own-stake')
    .slice(0, MAX_SOURCES);
  const isNear = confidence >= SUGGESTION_THRESHOLD;
  const closest = subjects
    .filter(({ href }) => href.startsWith(FAQ))
    .slice(0, MAX_SOURCES)
    .map(({ candidates: [{ passage }] }) => passage.title);
  const lines = isNear
    ? [texts.didYouMean, ...nearestSubjects.map((one) => suggestionText(one, context))]
    : [texts.unknown];
  const sources = nearestSubjects
    .map(({ candidates: [one] }) => figureOf(one, context) ?? sourceOf(one))
    .map(({ href, title }) => ({ href, title }));
  return {
    response: lines.join('\n\n'),
    kind: 'unknown',
    sources: [...sources, CONTACT],
    source: 'unknown',
    passages: [],
    ...(isNear ? {} : { closest }),
  };
}

export function composeAnswer(foundSubjects: FoundSubjects, context: AnswerContext): LocalAnswer {
  const answer =
    foundSubjects.confidence >= ANSWER_THRESHOLD ? answerFromSubjects(foundSubjects, context) : null;
  return answer ?? suggestAnswers(foundSubjects, context);
}
