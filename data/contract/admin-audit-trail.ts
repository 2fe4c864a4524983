import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

export const AUDIT_RECORDS_PER_PAGE = 50;

const BEFORE =
  'Set before to the value of next in the previous page, or leave it out for the newest records.';

export const adminAuditTrail = {
  method: 'GET',
  path: PATHS.adminAuditTrail,
  summary: 'Who did what, when and from where, newest first',
  access: 'reviewer',
  query: z.strictObject({
    before: z
      .string({ error: BEFORE })
      .regex(/^[1-9]\d{0,14}$/, BEFORE)
      .optional()
      .describe('The page begins after this record.'),
  }),
  response: z.object({
    records: z.array(
      z.object({
        id: z.string(),
        at: moment,
        actor: z
          .string()
          .describe('`system`, `visitor`, or the username of an admin; the id if the account was removed.'),
        action: z.string().describe('The action, as `noun.verb`.'),
        address: z.string().nullable().describe('The IP address of the admin.'),
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      }),
    ),
    next: z.string().nullable().describe('Pass it as `before` to get the next page; null on the last one.'),
  }),
} as const satisfies Call;
