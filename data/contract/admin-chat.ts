import { z } from 'zod';
import type { Call } from './call.ts';

export const adminChat = {
  method: 'GET',
  path: '/api/admin/chat',
  summary: 'What the assistant could not answer, and what people thought of its answers in the last 30 days',
  access: 'viewer',
  response: z.object({
    unanswered: z
      .array(
        z.object({
          question: z.string().describe('In common words alone: whatever could name a person is left out.'),
          times: z.number().int().min(1),
          firstAskedAt: z.iso.datetime(),
          lastAskedAt: z.iso.datetime(),
        }),
      )
      .describe('Those asked most often first, a hundred at most.'),
    verdicts: z
      .array(
        z.object({
          source: z
            .string()
            .describe('What the answers were drawn from: a path of this site, or a kind of answer.'),
          up: z.number().int().min(0),
          down: z.number().int().min(0),
        }),
      )
      .describe('Those with most verdicts against them first.'),
  }),
  errors: {
    401: 'No admin is signed in.',
    403: 'The role may not do that.',
    429: 'Too many calls from this address.',
  },
  live: false,
} as const satisfies Call;
