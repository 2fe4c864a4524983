import { z } from 'zod';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { moment } from './provenance.ts';

export const AUDIT_RECORDS_PER_PAGE = 50;

/** A cursor: the time (Unix ms) and the sequence number of an audit record. */
export const AUDIT_CURSOR_PATTERN = /^(\d{1,15})\.([1-9]\d{0,14})$/;
const ACTOR_ERROR = 'Set `actor` to an id from actors.';
const ACTION_ERROR = 'Set action to one action, such as note.added.';
const REFERENCE_ERROR = 'Set reference to one reference number, such as BD-20260102-123456.';
const time = (name: string) =>
  z.iso.datetime({ error: `Set ${name} to a time in UTC, such as 2026-01-02T00:00:00.000Z.` }).optional();
const BEFORE_ERROR =
  'Set `before` to the value of next in the previous page, or leave it out for the newest records.';

export const adminAuditTrail = {
  method: 'GET',
  path: PATHS.adminAuditTrail,
  summary: 'Who did what, when and from where, newest first',
  access: 'reviewer',
  query: z.strictObject({
    before: z
      .string({ error: BEFORE_ERROR })
      .regex(AUDIT_CURSOR_PATTERN, BEFORE_ERROR)
      .optional()
      .describe('The `next` of the previous page. Absent for the newest records.'),
    actor: z
      .string({ error: ACTOR_ERROR })
      .regex(/^[\w-]{1,64}$/, ACTOR_ERROR)
      .optional()
      .describe(`Only what one actor did. ${ACTOR_ERROR}`),
    action: z
      .string({ error: ACTION_ERROR })
      .regex(/^[a-z-]{1,60}\.[a-z-]{1,60}$/, ACTION_ERROR)
      .optional()
      .describe('Only one action, as `noun.verb`.'),
    reference: z
      .string({ error: REFERENCE_ERROR })
      .regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR)
      .optional()
      .describe('Only what happened to one record.'),
    from: time('from'),
    to: time('to').describe('Only records before this time.'),
  }),
  response: z.object({
    records: z.array(
      z.object({
        id: z.string(),
        at: moment,
        actor: z
          .string()
          .describe(
            'For an admin, the username, or the admin’s id if no account has this id. For other actors, a role such as `system`, `visitor` or `issuer`.',
          ),
        action: z.string().describe('The action, as `noun.verb`.'),
        address: z.string().nullable().describe('The IP address of the admin.'),
        details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      }),
    ),
    actors: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .describe('The actors to choose from: the admins, then the other actors.'),
    actions: z.array(z.string()).describe('Every action in the trail.'),
    next: z.string().nullable().describe('Pass it as `before` to get the next page; null on the last one.'),
  }),
} as const satisfies Call;
