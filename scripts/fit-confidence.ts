import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadBook, type OpenedBook } from '../api/chat/chat-book.ts';
import { type OTHER_KINDS, QuestionClassifier } from '../api/chat/classifier/question-classifier.ts';
import { answerFromSubjects } from '../api/chat/compose-answer.ts';
import { CONFIDENCE_FILE, type Evidence, evidenceConfidence } from '../api/chat/confidence.ts';
import { findAnswer } from '../api/chat/find-answer.ts';
import { readQuestion } from '../api/chat/language.ts';
import { noFigureInputs } from '../api/metrics/figure.ts';
import { judge, readQuestionSet } from '../bench/chat/question-set.ts';
import { buildSiteIfStale } from './build-site.ts';
import { readBuiltPages } from './built-pages.ts';
import { type BookSources, examplesOf, pageOf, readBookSources } from './chat-book.ts';
import { derivePhrasings } from './derive-phrasings.ts';
import { type FittedExample, fitLogistic } from './fit-logistic.ts';
import { trainClassifier } from './train-classifier.ts';

/*
 * Fits and writes the weights with which `api/chat/confidence.ts` computes how certain the assistant is of an answer. Asks
 * only questions that the classifier was not trained on: the question sets in `bench/chat`, and the phrasings in each
 * folder, which a classifier trained on the other folders answers. A folder with more than half of all phrasings is
 * left out, because a classifier trained without that folder differs too much from the one in use. Prints the results
 * for several values of `ANSWER_THRESHOLD` (`compose-answer.ts`).
 */

/** Of the phrasings in each folder, one in this many is asked. */
const ASKED_ONE_IN = 4;
/**
 * Each question in a question set counts as much as this many phrasings. The sets contain fewer questions, but those are more
 * like the questions of real visitors.
 */
const SET_IMPORTANCE = 8;
/** An answer to an out-of-scope question counts as this many wrong answers. */
const OUT_OF_SCOPE_IMPORTANCE = 6;
const QUESTION_SETS = ['registers', 'support', 'dialogs', 'visitors'] as const;
const THRESHOLDS = [0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7];

interface Outcome extends FittedExample<Evidence> {
  /** The folder that contains the phrasing that was asked, or `sets` for a question from a question set. */
  readonly source: string;
  readonly kind: 'answered' | (typeof OTHER_KINDS)[number];
}

/** Groups of sections that answer the same questions. If one section of a group is a correct answer, all of them are. */
const sameAnswers = z
  .array(z.array(z.string()).min(2))
  .parse(parse(await readFile('bench/chat/same-answers.yaml', 'utf8')));

const importanceOf = (kind: Outcome['kind']) => (kind === 'out-of-scope' ? OUT_OF_SCOPE_IMPORTANCE : 1);

function ask(book: OpenedBook, message: string, earlier: readonly string[]) {
  const { text, language } = readQuestion(message, book.spelling);
  const turns = earlier.map((turn) => readQuestion(turn, book.spelling).text);
  const foundSubjects = findAnswer(text, { book, earlier: turns, isForeign: language !== null });
  const inputs = noFigureInputs('embedded-ledger', new Set());
  return { subjects: foundSubjects, answer: answerFromSubjects(foundSubjects, { book, inputs, now: 0 }) };
}

/** Asks the phrasings in one folder, using a classifier that was trained only on the other folders. */
function evaluateFolder(
  folder: string,
  { book: data, passages, phrasings }: BookSources,
): readonly Outcome[] {
  const learnedPhrasings = phrasings.filter(({ writers }) => writers !== folder);
  if (learnedPhrasings.length < phrasings.length / 2) return [];
  const classifier = trainClassifier(
    examplesOf({ book: data, phrasings: learnedPhrasings }),
    passages.length,
  );
  const book = loadBook(data, new QuestionClassifier(classifier));
  const sampled = phrasings
    .filter(({ writers }) => writers === folder)
    .filter((_, index) => index % ASKED_ONE_IN === 0);
  const derivedPhrasings = derivePhrasings(sampled, pageOf(data), book.tokenizer);
  return [...sampled, ...derivedPhrasings].flatMap(({ text, earlier, target }) => {
    const { subjects, answer } = ask(book, text, earlier === undefined ? [] : [earlier]);
    const targetPassage = typeof target === 'number' ? passages[target] : null;
    if (!subjects.evidence || !answer || targetPassage?.kind === 'own-stake') return [];
    const rightHrefs = [
      targetPassage?.href,
      ...sameAnswers.filter((each) => each.includes(targetPassage?.href ?? '')).flat(),
    ];
    const isNamed = subjects.answers.some(({ href }) => rightHrefs.includes(href));
    // A fact with figures counts as stated only if the answer contains the figures.
    const isStated =
      targetPassage?.kind !== 'fact' ||
      (targetPassage.text.match(/\d[\d.,]*\d|\d/g) ?? []).every((figure) => answer.response.includes(figure));
    const isRight = targetPassage !== null && isNamed && isStated;
    const kind = typeof target === 'number' ? 'answered' : target;
    return [{ source: folder, kind, evidence: subjects.evidence, isRight, importance: importanceOf(kind) }];
  });
}

async function askSet(name: (typeof QUESTION_SETS)[number], book: OpenedBook): Promise<readonly Outcome[]> {
  const set = await readQuestionSet(name);
  const answeredOutcomes = set.answered.flatMap((question): Outcome[] => {
    const { subjects, answer } = ask(book, question.ask, [question.after ?? []].flat().toReversed());
    if (!subjects.evidence || !answer) return [];
    const isRight = judge(question, () => answer, book.texts.didYouMean) === 'right';
    return [
      { source: 'sets', kind: 'answered', evidence: subjects.evidence, isRight, importance: SET_IMPORTANCE },
    ];
  });
  const others = (['out-of-scope', 'known-subject'] as const).flatMap((kind) =>
    set[kind].flatMap(({ ask: message }): Outcome[] => {
      const { evidence } = ask(book, message, []).subjects;
      const importance = SET_IMPORTANCE * importanceOf(kind);
      return evidence ? [{ source: 'sets', kind, evidence, isRight: false, importance }] : [];
    }),
  );
  return [...answeredOutcomes, ...others];
}

await buildSiteIfStale(new AbortController().signal);
const sources = await readBookSources(await readBuiltPages('dist'));
const folders = [...new Set(sources.phrasings.flatMap(({ writers }) => writers ?? []))];
const outcomes: Outcome[] = folders.flatMap((folder) => evaluateFolder(folder, sources));
const classifier = trainClassifier(examplesOf(sources), sources.passages.length);
const book = loadBook(sources.book, new QuestionClassifier(classifier));
for (const name of QUESTION_SETS) outcomes.push(...(await askSet(name, book)));

const weights = fitLogistic(outcomes);
await writeFile(CONFIDENCE_FILE, `${JSON.stringify(weights, null, 2)}\n`);

const percent = (part: number, total: number) =>
  (total === 0 ? 'none' : `${((100 * part) / total).toFixed(1)} %`).padStart(8);
for (const source of new Set(outcomes.map((outcome) => outcome.source))) {
  const outcomesOfSource = outcomes.filter((outcome) => outcome.source === source);
  const answerable = outcomesOfSource.filter(({ kind }) => kind === 'answered');
  process.stdout.write(`${source}: ${answerable.length} questions\n`);
  for (const threshold of THRESHOLDS) {
    const isAnswered = ({ evidence }: Outcome) => evidenceConfidence(evidence, weights) >= threshold;
    const answeredOutcomes = answerable.filter(isAnswered);
    const rightCount = answeredOutcomes.filter(({ isRight }) => isRight).length;
    const declinedTexts = (['out-of-scope', 'known-subject'] as const).map((kind) => {
      const others = outcomesOfSource.filter((outcome) => outcome.kind === kind);
      return `${kind} declined ${percent(others.filter((outcome) => !isAnswered(outcome)).length, others.length)}`;
    });
    process.stdout.write(
      `  from ${threshold}: right ${percent(rightCount, answerable.length)}, wrong ${percent(answeredOutcomes.length - rightCount, answerable.length)}, ${declinedTexts.join(', ')}\n`,
    );
  }
}
