import { z } from 'zod';
import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment } from './provenance.ts';

export const adminChat = {
  method: 'GET',
  path: PATHS.adminChat,
  summary: `Questions that the assistant could not answer, and verdicts on its answers from the last ${PORTAL_LIMITS.chatVerdictDays} days`,
  access: 'viewer',
  response: z.object({
    unanswered: z
      .array(
        z.object({
          question: z
            .string()
            .describe('Common words only: everything that could identify a person is left out.'),
          times: z.number().int().min(1),
          firstAskedAt: moment,
          lastAskedAt: moment,
        }),
      )
      .describe(`Most frequent first, ${PORTAL_LIMITS.unansweredListed} at most.`),
    verdicts: z
      .array(
        z.object({
          source: z.string().describe('The source of the answers: a path of this site, or a kind of answer.'),
          up: count,
          down: count,
        }),
      )
      .describe('Most negative verdicts first.'),
  }),
} as const satisfies Call;
