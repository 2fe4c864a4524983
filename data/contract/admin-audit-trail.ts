import { z } from 'zod';
import { moment, readErrors } from './admin-lists.ts';
import type { Call } from './call.ts';

/** Records of a page. */
export const AUDIT_RECORDS_A_PAGE = 50;

const BEFORE = 'Set before to the next of the page before, or leave it out for the newest records.';

export const adminAuditTrail = {
  method: 'GET',
  path: '/api/admin/audit-trail',
  summary: 'What was done, by whom, when and from where: newest first',
  access: 'reviewer',
  query: z.strictObject({
    before: z
      .string({ error: BEFORE })
      .regex(/^[1-9]\d{0,14}$/, BEFORE)
      .optional()
      .describe('The page holds records recorded before this one.'),
  }),
  response: z.object({
    records: z.array(
      z.object({
        id: z.string(),
        at: moment,
        actor: z
          .string()
          .describe('`system`, `visitor`, or the username of an admin; the id of one that is unknown.'),
        action: z.string().describe('What was done, as `noun.verb`.'),
        address: z.string().nullable().describe('The network address that an admin acted from.'),
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      }),
    ),
    next: z
      .string()
      .nullable()
      .describe('To be given as `before` for the next page; null where there is none.'),
  }),
  errors: readErrors,
  live: false,
} as const satisfies Call;
