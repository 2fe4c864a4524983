import { z } from 'zod';
import { CHANGED_AT_DESCRIPTION } from '../model/admin-lists.ts';
import { MAX_MERGED } from '../model/bulk.ts';
import { MAX_REVIEW_TEXT_LENGTH } from '../model/submission-status.ts';
import { seenRecord } from './admin-decisions.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { moment, referenceNumber } from './provenance.ts';

const MERGED_ERROR = `Set merged to a list of 1 to ${MAX_MERGED} different records, without the kept one.`;
const seenRecordSchema = z.strictObject(seenRecord);
const changedRecord = { referenceNumber, changedAt: moment.describe(CHANGED_AT_DESCRIPTION) };

export const mergeRecords = {
  method: 'POST',
  path: PATHS.mergeRecords,
  summary:
    'Merges open records of one kind and one person into one of them. Either all are merged or none. Answers to the merged records are added to the kept record, and applicants see its status. No email is sent',
  access: 'reviewer',
  body: z
    .strictObject({
      kept: seenRecordSchema.describe('The record that the others are merged into.'),
      merged: z
        .array(seenRecordSchema, { error: MERGED_ERROR })
        .min(1, MERGED_ERROR)
        .max(MAX_MERGED, MERGED_ERROR),
    })
    .refine(
      ({ kept, merged }) =>
        new Set([kept, ...merged].map((one) => one.referenceNumber)).size === merged.length + 1,
      { error: MERGED_ERROR, path: ['merged'] },
    ),
  response: z.object({
    success: z.literal(true),
    ...changedRecord,
    merged: z.array(z.object(changedRecord)),
  }),
  errors: [
    'unknown-record',
    'record-changed',
    'record-closed',
    'record-merged',
    'record-has-merged',
    'other-person',
    'other-wallet',
  ],
} as const satisfies Call;

export const splitRecord = {
  method: 'POST',
  path: PATHS.splitRecord,
  summary: 'Splits a merged record from the record that was kept, and restores its earlier status',
  access: 'reviewer',
  body: z.strictObject({
    ...seenRecord,
    reason: textSchema({
      kind: 'lines',
      label: 'Reason',
      maxLength: MAX_REVIEW_TEXT_LENGTH.reason,
      missing: 'Enter the reason. Only the team can see it.',
    }),
  }),
  response: z.object({
    success: z.literal(true),
    ...changedRecord,
    status: z.string().describe('The status that the record had before the merge.'),
  }),
  errors: ['unknown-record', 'record-changed', 'not-merged'],
} as const satisfies Call;
