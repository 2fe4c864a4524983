import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

/**
 * Kinds of answers. `answer`: a passage from the portal's pages, or a fact. `figure`: live numbers. `unknown`: no passage matches
 * well enough, but the best matches may be suggested. `refusal`: the question asks for advice, tries to misuse the assistant, or
 * is about sharing a secret. `warning`: the question contains a secret.
 */
export const ANSWER_KINDS = ['answer', 'figure', 'small-talk', 'unknown', 'refusal', 'warning'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export const chatQuestion = textSchema({
  kind: 'line',
  label: 'Question',
  noun: 'your question',
  maxLength: PORTAL_LIMITS.chatQuestionLength,
  missing: 'Type a question.',
});

export const chatDuckling = {
  method: 'POST',
  path: PATHS.chatDuckling,
  summary: 'Asks Duckling, the assistant, which answers from the portal’s pages and live figures',
  usesWalletSession: true,
  body: z.strictObject({
    message: chatQuestion,
    earlier: z
      .array(z.string().max(PORTAL_LIMITS.chatQuestionLength))
      .max(PORTAL_LIMITS.chatEarlierQuestions)
      .optional()
      .describe(
        `The questions before this one, latest first, if they are at most ${PORTAL_LIMITS.chatEarlierMinutes} minutes old. They complete a question such as "and for Raven?".`,
      ),
  }),
  response: z.object({
    response: z
      .string()
      .describe(
        'The answer, as text; a blank line between paragraphs. A passage of a page begins with its question or heading. Each row of a table is a paragraph with a tab between its cells, and the first row has the headings.',
      ),
    kind: z.enum(ANSWER_KINDS),
    sources: z
      .array(z.object({ title: z.string(), href: z.string().describe('A path of this site.') }))
      .describe('Pages with the answer, best first.'),
    closest: z
      .array(z.string())
      .optional()
      .describe('The closest questions that the assistant can answer, if it found no answer to this one.'),
    source: z.string().describe('Identifies the answer. Send it as `source` with a verdict on the answer.'),
    by: z
      .enum(['portal', 'model', 'team'])
      .describe('Who wrote the answer: the portal, a language model, or the team.'),
    writtenAt: moment.optional().describe('When the team wrote the answer; absent for other answers.'),
  }),
  errors: ['chat-not-built'],
} as const satisfies Call;

const SOURCE_ERROR = 'Set source to the source of the answer.';

export const chatVerdict = {
  method: 'POST',
  path: PATHS.chatVerdict,
  summary: 'Counts whether an answer of the assistant was helpful. Nothing else is stored',
  body: z.strictObject({
    source: z.string({ error: SOURCE_ERROR }).min(1, SOURCE_ERROR).max(200, SOURCE_ERROR),
    verdict: z.enum(['up', 'down'], { error: 'Set verdict to up or down.' }),
  }),
  response: z.object({ success: z.literal(true) }),
  errors: ['chat-not-built'],
} as const satisfies Call;
