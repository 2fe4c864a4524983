import { z } from 'zod';
import { CHANGED_AT_DESCRIPTION, LIST_IDS } from '../model/admin-lists.ts';
import { CONTACT_DECISIONS, MAX_REVIEW_TEXT_LENGTH, SUBMISSION_KINDS } from '../model/submission-status.ts';
import { ASSIGNEE_FILTER_DESCRIPTION, ASSIGNEE_FILTER_VALUES, DUE_FILTER_VALUES } from '../model/work.ts';
import { seenRecord } from './admin-decisions.ts';
import { choice, choiceOrAdmin } from './admin-lists.ts';
import { adminId } from './admin-session.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

export const WORK_PER_PAGE = 100;

const WORK_AFTER_ERROR =
  'Set `after` to the value of next in the previous page, or leave it out for the first page.';

const assignee = z.object({ id: adminId, username: z.string() });

export const adminWork = {
  method: 'GET',
  path: PATHS.adminWork,
  summary: 'Records of all kinds that wait for the team, earliest due time first',
  access: 'viewer',
  query: z.strictObject({
    assignee: choiceOrAdmin('assignee', ASSIGNEE_FILTER_VALUES).describe(ASSIGNEE_FILTER_DESCRIPTION),
    due: choice('due', DUE_FILTER_VALUES).describe('overdue: records that are past their due time.'),
    after: z
      .string({ error: WORK_AFTER_ERROR })
      .regex(/^\d{1,16}~\d{1,16}~BD-\d{8}-\d{6}$/, WORK_AFTER_ERROR)
      .optional()
      .describe('The `next` of the previous page.'),
  }),
  response: z.object({
    work: z
      .array(
        z.object({
          kind: z.enum(SUBMISSION_KINDS),
          list: z.enum(LIST_IDS).describe('The list that contains the record.'),
          referenceNumber,
          name: z
            .string()
            .describe('The applicant’s name, or the email address if the form does not ask for a name.'),
          subject: z.string().nullable(),
          status: z.string(),
          assigneeId: adminId.nullable(),
          assignee: z.string().nullable().describe('The username.'),
          dueAt: moment,
          createdAt: moment,
          changedAt: moment.describe(CHANGED_AT_DESCRIPTION),
        }),
      )
      .describe(`At most ${WORK_PER_PAGE}.`),
    next: z.string().nullable().describe('Pass it as `after` to get the next page; null on the last one.'),
    total: count.describe('The number of records. At most 10,000 of each kind are counted.'),
  }),
} as const satisfies Call;

export const assignees = {
  method: 'GET',
  path: PATHS.assignees,
  summary: 'The admins to whom records can be assigned: active reviewers and owners, sorted by username',
  access: 'viewer',
  response: z.object({ assignees: z.array(assignee) }),
} as const satisfies Call;

export const assigneeError = (name: string): string => `Set ${name} to the id of an admin, or to null.`;

export const assignRecord = {
  method: 'POST',
  path: PATHS.assignRecord,
  summary: 'Assigns a record to an admin or to nobody',
  access: 'reviewer',
  body: z.strictObject({
    referenceNumber: seenRecord.referenceNumber,
    assigneeId: z.uuid({ error: assigneeError('assigneeId') }).nullable(),
    from: z
      .uuid({ error: 'Set `from` to the assigneeId that you last read from the record.' })
      .nullable()
      .describe('The assigneeId that the admin saw. The call fails if the record now has a different one.'),
  }),
  response: z.object({ success: z.literal(true), referenceNumber, assigneeId: adminId.nullable() }),
  errors: ['unknown-record', 'assigned-meanwhile', 'no-such-reviewer'],
} as const satisfies Call;

export const endWaiting = {
  method: 'POST',
  path: PATHS.endWaiting,
  summary:
    'Stops waiting for an applicant’s answer. The team then has as much time as was left when the question was sent',
  access: 'reviewer',
  body: z.strictObject({ referenceNumber: seenRecord.referenceNumber }),
  response: z.object({ success: z.literal(true), referenceNumber, dueAt: moment.nullable() }),
  errors: ['unknown-record', 'not-waiting'],
} as const satisfies Call;

export const moveContact = {
  method: 'POST',
  path: PATHS.moveContact,
  summary: 'Changes the state of a message to support. No email is sent. A closed message is deleted later',
  access: 'reviewer',
  body: z.strictObject({
    ...seenRecord,
    status: z.enum(CONTACT_DECISIONS, { error: `Set status to one of ${CONTACT_DECISIONS.join(', ')}.` }),
    reason: z
      .nullish(
        textSchema({
          kind: 'lines',
          label: 'Reason',
          maxLength: MAX_REVIEW_TEXT_LENGTH.reason,
          optional: true,
        }),
      )
      .describe('Needed to reopen a closed message. Only the team can see it.'),
  }),
  response: z.object({
    success: z.literal(true),
    referenceNumber,
    status: z.enum(CONTACT_DECISIONS),
    changedAt: moment.describe(CHANGED_AT_DESCRIPTION),
  }),
  errors: ['unknown-record', 'record-changed', 'record-closed', 'reason-needed'],
} as const satisfies Call;
