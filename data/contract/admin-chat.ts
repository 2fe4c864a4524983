import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { successBody } from './admin-session.ts';
import type { Call } from './call.ts';
import { chatDuckling, chatQuestion } from './chat.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, moment } from './provenance.ts';

const { additionQuestionLength, additionAnswerLength, questionReappearsAfter } = PORTAL_LIMITS;

const passage = z.object({
  href: z.string().describe('A path of this site, or `team:` and the id of an answer from the team.'),
  title: z.string().describe('The question or heading of the passage.'),
  page: z.string().describe('The title of the page with the passage.'),
});

const unansweredQuestion = z.object({
  question: z.string().describe('Common words only: everything that could identify a person is left out.'),
  timesAsked: z.number().int().min(1),
  lastAskedAt: moment,
});

const group = z.object({
  timesAsked: z.number().int().min(1).describe('How often the questions of the group were asked.'),
  lastAskedAt: moment,
  questions: z.array(unansweredQuestion).min(1).describe('Most frequent first.'),
});

const addition = z.object({
  id: z.string(),
  kind: z.enum(['phrasing', 'answer']),
  question: z.string(),
  answer: z.string().nullable().describe('Null for another way to ask an existing question.'),
  passage: z
    .object({
      href: z.string(),
      title: z.string(),
      isFound: z
        .boolean()
        .describe('False if the site no longer has the question. The addition is then not used.'),
    })
    .nullable()
    .describe('The existing question; null for an answer from the team.'),
  by: z.string().describe('The username of the admin who added it.'),
  addedAt: moment,
});

export const adminChat = {
  method: 'GET',
  path: PATHS.adminChat,
  summary: `Questions that the assistant could not answer, grouped by meaning; the team’s additions; and verdicts on answers from the last ${PORTAL_LIMITS.chatVerdictDays} days`,
  access: 'viewer',
  response: z.object({
    groups: z
      .array(group)
      .describe(
        `Most frequent first, ${PORTAL_LIMITS.maxUnansweredGroups} at most. A dismissed group is left out until its questions have been asked ${questionReappearsAfter} more times.`,
      ),
    additions: z.array(addition).describe('In use, newest first.'),
    verdicts: z
      .array(
        z.object({
          source: z.string().describe('The source of the answers: a path of this site, or a kind of answer.'),
          up: count,
          down: count,
        }),
      )
      .describe('Ordered by the number of negative verdicts, highest first.'),
  }),
} as const satisfies Call;

export const tryQuestion = {
  method: 'POST',
  path: PATHS.tryQuestion,
  summary: 'The assistant’s current answer to a question, and the nearest known questions. Nothing is stored',
  access: 'viewer',
  body: z.strictObject({ message: chatQuestion }),
  response: z.object({ answer: chatDuckling.response, nearest: z.array(passage).describe('Best first.') }),
  errors: ['chat-not-built'],
} as const satisfies Call;

/** A link in an answer must be https. A question must not contain a link. */
const NON_HTTPS_LINK = /\b(?!https:\/\/)[a-z][a-z\d+.-]*:\/\//i;
const LINK = /\b[a-z][a-z\d+.-]*:\/\//i;

const question = textSchema({
  kind: 'line',
  label: 'Question',
  hint: 'As visitors ask it, without personal data.',
  minLength: 3,
  maxLength: additionQuestionLength,
  invalid: 'Enter a question of at least three characters.',
});
const questionWithoutLinks = question.check(
  z.refine((text: string) => !LINK.test(text), 'Remove the link from the question.'),
);

const settles = z
  .array(z.string().max(200), { error: 'Set settles to a list of unanswered questions.' })
  .max(1_000)
  .describe('The unanswered questions that the addition answers. They are deleted.');

const addedBody = z.object({ success: z.literal(true), id: z.string() });

export const addPhrasing = {
  method: 'POST',
  path: PATHS.addPhrasing,
  summary: 'Adds another way to ask for an existing answer. The assistant uses it from the next question on',
  access: 'reviewer',
  body: z.strictObject({
    question: questionWithoutLinks,
    href: z.string({ error: 'Set href to the href of one of the nearest questions.' }).min(1).max(300),
    title: z.string({ error: 'Set title to the title of one of the nearest questions.' }).min(1).max(300),
    settles,
  }),
  response: addedBody,
  errors: ['chat-not-built', 'unknown-passage', 'addition-exists', 'additions-full'],
} as const satisfies Call;

export const addAnswer = {
  method: 'POST',
  path: PATHS.addAnswer,
  summary: 'Adds a question with an answer from the team. The assistant uses it from the next question on',
  access: 'reviewer',
  body: z.strictObject({
    question: questionWithoutLinks,
    answer: textSchema({
      kind: 'lines',
      label: 'Answer',
      hint: 'Plain text; a blank line between paragraphs.',
      maxLength: additionAnswerLength,
      missing: 'Enter the answer.',
    }).check(
      z.refine((text: string) => !NON_HTTPS_LINK.test(text), 'Links in the answer must start with https://.'),
    ),
    settles,
  }),
  response: addedBody,
  errors: ['chat-not-built', 'addition-exists', 'additions-full'],
} as const satisfies Call;

export const withdrawAddition = {
  method: 'POST',
  path: PATHS.withdrawAddition,
  summary: 'Withdraws an addition at once, and deletes its text',
  access: 'reviewer',
  body: z.strictObject({ id: z.uuid({ error: 'Set id to the id of an addition.' }) }),
  response: successBody,
  errors: ['unknown-addition'],
} as const satisfies Call;

export const dismissQuestions = {
  method: 'POST',
  path: PATHS.dismissQuestions,
  summary: `Hides unanswered questions until they have been asked ${questionReappearsAfter} more times`,
  access: 'reviewer',
  body: z.strictObject({
    questions: z
      .array(z.string().max(200), { error: 'Set questions to the questions of a group.' })
      .min(1, 'Set questions to the questions of a group.')
      .max(1_000),
  }),
  response: successBody,
  errors: ['unknown-question'],
} as const satisfies Call;
