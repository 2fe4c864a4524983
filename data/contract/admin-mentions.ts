import { z } from 'zod';
import { LIST_IDS } from '../model/admin-lists.ts';
import { SUBMISSION_KINDS } from '../model/submission-status.ts';
import { seenRecord } from './admin-decisions.ts';
import { adminName } from './admin-record.ts';
import { adminId } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

export const MAX_MENTIONS_SHOWN = 100;

export const adminMentions = {
  method: 'GET',
  path: PATHS.adminMentions,
  summary: 'The notes of others that mention the calling admin, the unread ones first, then the newest',
  access: 'viewer',
  response: z.object({
    mentions: z
      .array(
        z.object({
          noteId: z.string(),
          list: z.enum(LIST_IDS).describe('The list that contains the record.'),
          kind: z.enum(SUBMISSION_KINDS),
          referenceNumber: referenceNumber.describe(
            'The record that shows the note: the record it was written on or, if that was merged, the record that was kept.',
          ),
          by: adminName,
          text: z.string(),
          at: moment.describe('When the admin was mentioned.'),
          isRead: z.boolean(),
        }),
      )
      .describe(`At most ${MAX_MENTIONS_SHOWN}.`),
    unread: count.describe('The number of unread mentions, including those that the list leaves out.'),
  }),
} as const satisfies Call;

export const mentionableAdmins = {
  method: 'GET',
  path: PATHS.mentionableAdmins,
  summary: 'The admins whom a note can mention: all with an active account, sorted by username',
  access: 'viewer',
  response: z.object({ admins: z.array(z.object({ id: adminId, username: z.string() })) }),
} as const satisfies Call;

export const markMentionsRead = {
  method: 'POST',
  path: PATHS.markMentionsRead,
  summary: 'Marks the calling admin’s mentions as read, on a record and on the records merged into it',
  access: 'viewer',
  body: z.strictObject({ referenceNumber: seenRecord.referenceNumber }),
  response: z.object({
    success: z.literal(true),
    read: count.describe('How many of these mentions were unread.'),
  }),
} as const satisfies Call;
