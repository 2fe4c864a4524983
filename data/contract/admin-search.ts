import { z } from 'zod';
import { CHANGED_AT_DESCRIPTION } from '../model/admin-lists.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import { searchText } from './admin-lists.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

/** In the order in which the results are listed. */
export const SEARCHED_LISTS = [
  'applications',
  'contacts',
  'verification-requests',
  'loan-applications',
] as const;
export type SearchedList = (typeof SEARCHED_LISTS)[number];

export const RESULTS_PER_LIST = 8;

/** A record in the search palette, or in the list of a person's other records. */
const recordSummary = z.object({
  list: z.enum(SEARCHED_LISTS),
  referenceNumber,
  name: z
    .string()
    .describe('The applicant’s name, or the email address if the form does not ask for a name.'),
  status: z.string().nullable().describe('Null if records of this kind have no status.'),
  createdAt: moment,
});
export type RecordSummary = z.infer<typeof recordSummary>;

const searchResult = recordSummary.extend({
  field: z
    .string()
    .describe(
      'The field that matches, such as email; `conversation` for a later message, `fields` for several fields.',
    ),
  excerpt: z
    .array(z.object({ text: z.string(), isMatch: z.boolean() }))
    .describe(
      'The part of the field around the matches, split into matching and other text; empty for `fields`.',
    ),
});
export type SearchResult = z.infer<typeof searchResult>;

export const adminSearch = {
  method: 'POST',
  path: PATHS.adminSearch,
  summary: `The newest ${RESULTS_PER_LIST} records of each kind that match a search`,
  access: 'viewer',
  body: z.strictObject({ q: searchText }),
  response: z.object({
    groups: z
      .array(
        z.object({
          list: z.enum(SEARCHED_LISTS),
          total: count.describe('The number of matching records of this kind.'),
          isTotalExact: z.boolean().describe('False when counting stopped at `total`.'),
          results: z.array(searchResult).describe('Newest first.'),
        }),
      )
      .describe('Only kinds with matches.'),
  }),
} as const satisfies Call;

export const MAX_OTHER_RECORDS = 20;

const REFERENCE_ERROR = 'Set reference to the reference number of a record.';

export const otherRecords = {
  method: 'GET',
  path: PATHS.otherRecords,
  summary:
    'Other records with the same mailbox or wallet as a record. Mailboxes are compared as for an erasure',
  access: 'viewer',
  query: z.strictObject({
    reference: z.string({ error: REFERENCE_ERROR }).regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR),
  }),
  response: z.object({
    total: count.describe('The number of other records.'),
    records: z
      .array(
        recordSummary.extend({
          isSameMailbox: z.boolean().describe('False if only the wallet is the same.'),
          changedAt: moment.describe(CHANGED_AT_DESCRIPTION),
        }),
      )
      .describe(`Newest first, at most ${MAX_OTHER_RECORDS}.`),
  }),
  errors: ['unknown-record'],
} as const satisfies Call;
