import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { LocalAnswer } from '../../api/chat/compose-answer.ts';

const REGISTERS = [
  ...['plain', 'keyword', 'fragment', 'typo', 'slang', 'non-native'],
  ...['indirect', 'angry', 'follow-up', 'language'],
] as const;

const bareQuestion = z.strictObject({ ask: z.string() });

/** Questions as people ask them, with the facts and sources of a correct answer. */
const questionSetSchema = z.strictObject({
  answered: z.array(
    bareQuestion.extend({
      register: z.enum(REGISTERS),
      /** The previous questions, oldest first. */
      after: z.union([z.string(), z.array(z.string())]).optional(),
      /** Each fact must be in the answer, in one of the forms separated by `|`. */
      facts: z.array(z.string()).default([]),
      /** Pages, sections (`/faq#lock`) and figures (`figure:price`) that contain the answer. */
      sources: z.array(z.string()).min(1),
    }),
  ),
  /** Questions about the project that no page of the portal answers. */
  'known-subject': z.array(bareQuestion),
  'out-of-scope': z.array(bareQuestion),
  hostile: z.array(bareQuestion.extend({ expect: z.enum(['refuse', 'warn-secret']) })),
  /** Search queries as people type them, with the pages and sections that answer them. */
  search: z.array(z.strictObject({ type: z.string(), sources: z.array(z.string()).min(1) })),
});
export type QuestionSet = z.infer<typeof questionSetSchema>;
type Question = QuestionSet['answered'][number];

/**
 * Each set was written by a different person. Nobody may read the questions of `blind`, only its score. `mixed`, `fresh` and
 * `visitors-unread` must not be used for tuning either. The other sets may be used.
 */
export const SET_NAMES = [
  ...['registers', 'support', 'dialogs', 'visitors'],
  ...['mixed', 'fresh', 'visitors-unread', 'blind'],
] as const;

export async function readQuestionSet(name: (typeof SET_NAMES)[number]): Promise<QuestionSet> {
  return questionSetSchema.parse(parse(await readFile(`bench/chat/sets/${name}.yaml`, 'utf8')));
}

export type AskAssistant = (message: string, earlier?: readonly string[]) => LocalAnswer;

/**
 * `right`: the answer has all expected facts, or one of the expected sources if the question lists no facts. `wrong`: the
 * answer lacks them. `suggested`: the answers offered with "did you mean" have them. `missed`: the offered answers lack them.
 * `unknown`: an honest "I don't know".
 */
export const VERDICTS = ['right', 'suggested', 'missed', 'unknown', 'wrong'] as const;
type Verdict = (typeof VERDICTS)[number];

/** @param didYouMean the first paragraph of a message that offers several answers */
export function judge(question: Question, ask: AskAssistant, didYouMean: string): Verdict {
  const { ask: message, after = [], facts, sources } = question;
  const answer = ask(message, [after].flat().toReversed());
  // The cells of a table are separated by tabs.
  const text = answer.response.toLowerCase().replaceAll('\t', ' ');
  const citedSources = [answer.source, ...answer.sources.map(({ href }) => href)];
  const isRight =
    facts.length > 0
      ? facts.every((fact) => fact.split('|').some((form) => text.includes(form.toLowerCase())))
      : citedSources.some((source) => sources.includes(source));
  if (answer.kind !== 'unknown') return isRight ? 'right' : 'wrong';
  if (!answer.response.startsWith(didYouMean)) return 'unknown';
  return isRight ? 'suggested' : 'missed';
}

export type Tally = Record<Verdict, number>;

export function tally(
  { answered }: QuestionSet,
  ask: AskAssistant,
  didYouMean: string,
): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const question of answered) {
    const verdict = judge(question, ask, didYouMean);
    for (const name of [question.register, 'all']) {
      const counts = tallies.get(name) ?? { right: 0, suggested: 0, missed: 0, unknown: 0, wrong: 0 };
      counts[verdict] += 1;
      tallies.set(name, counts);
    }
  }
  return tallies;
}

export function wronglyAnswered(
  questions: readonly { readonly ask: string }[],
  ask: AskAssistant,
): readonly string[] {
  return questions.map(({ ask: message }) => message).filter((message) => !isDeclined(ask(message)));
}

const isDeclined = ({ kind }: LocalAnswer) => kind !== 'answer' && kind !== 'figure';
