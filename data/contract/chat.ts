import { z } from 'zod';
import type { Call } from './call.ts';
import { line } from './form-fields.ts';

/** Characters of one question. */
export const LONGEST_QUESTION = 500;

/**
 * What an answer is. `answer`: from a passage of the portal. `figure`: from its live figures. `small-talk`. `unknown`: nothing
 * was found. `refusal`: it is not for the assistant to say. `warning`: a secret was pasted.
 */
export const ANSWER_KINDS = ['answer', 'figure', 'small-talk', 'unknown', 'refusal', 'warning'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export const chatDuckling = {
  method: 'POST',
  path: '/api/chat/duckling',
  summary: 'Ask Duckling, the assistant: it answers from the pages of the portal and its live figures',
  body: z.strictObject({
    message: line({ what: 'your question', atMost: LONGEST_QUESTION, words: 'Type a question.' }),
  }),
  response: z.object({
    response: z.string().describe('The answer, as text; a blank line between paragraphs.'),
    kind: z.enum(ANSWER_KINDS),
    sources: z
      .array(z.object({ title: z.string(), href: z.string().describe('A path of this site.') }))
      .describe('Where the answer stands, the best first.'),
    source: z.string().describe('What a verdict on the answer is counted for.'),
    by: z
      .enum(['portal', 'model'])
      .describe('Whose words they are: the portal’s own, or those of a language model.'),
  }),
  errors: {
    400: 'The question is empty, too long, or holds control characters.',
    403: 'A page of another site sent it.',
    413: 'The body is too large.',
    429: 'Too many questions from this address.',
    503: 'The assistant has nothing to answer from: the pages of the portal were not built.',
  },
  live: false,
} as const satisfies Call;

export const chatVerdict = {
  method: 'POST',
  path: '/api/chat/verdict',
  summary: 'Whether an answer of the assistant helped; only the count is kept',
  body: z.strictObject({
    source: z
      .string({ error: 'Name the source of the answer.' })
      .min(1, 'Name the source of the answer.')
      .max(200, 'Name the source of the answer.'),
    verdict: z.enum(['up', 'down'], { error: 'Say up or down.' }),
  }),
  response: z.object({ success: z.literal(true) }),
  errors: {
    400: 'The verdict is neither up nor down, or the source is none that the assistant answers from.',
    403: 'A page of another site sent it.',
    413: 'The body is too large.',
    429: 'Too many verdicts from this address.',
  },
  live: false,
} as const satisfies Call;
