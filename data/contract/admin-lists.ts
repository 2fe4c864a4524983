import { z } from 'zod';
import { cleanLine } from '../model/form-text.ts';
import { LONGEST_REVIEW_TEXT } from '../model/record-review.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';

/** What the admin's lists have in common. */

/** Rows of a page where the query names no number, and the most that it may name. */
export const RECORDS_A_PAGE = 10;
export const RECORDS_A_PAGE_AT_MOST = 100;

const LIMIT = `Set limit to a whole number from 1 to ${RECORDS_A_PAGE_AT_MOST}, or leave it out.`;
const AFTER = 'Set after to the next of the page before, or leave it out for the first page.';
const ORDER = 'Set order to asc or desc, or leave it out.';
const DAY = 'Give from and to as days, such as 2026-01-31, or leave them out.';
const SEARCH = `Give q as a text of 1 to ${LONGEST_REVIEW_TEXT.search} characters, or leave it out.`;

/** One of some words in a query. */
export const choice = <const Words extends readonly [string, ...string[]]>(name: string, words: Words) =>
  z.enum(words, { error: `Set ${name} to one of ${words.join(', ')}, or leave it out.` }).optional();

const day = z.iso.date({ error: DAY }).optional();

const paging = {
  limit: z
    .string({ error: LIMIT })
    .regex(/^[1-9]\d{0,2}$/, LIMIT)
    .refine((text) => Number(text) <= RECORDS_A_PAGE_AT_MOST, LIMIT)
    .optional()
    .describe(`Rows of the page: ${RECORDS_A_PAGE} where absent, ${RECORDS_A_PAGE_AT_MOST} at most.`),
  after: z
    .string({ error: AFTER })
    .regex(/^[\w.~-]{1,120}$/, AFTER)
    .optional()
    .describe('Where the page begins: the `next` of the page before, of the same sort and order.'),
};

/** The parameters of a list: its pages, its sort, the days it is of, and filters of its own. */
export function listQuery<const Sorts extends readonly [string, ...string[]], Filters extends z.ZodRawShape>(
  sorts: Sorts,
  filters: Filters,
) {
  return z.strictObject({
    ...paging,
    sort: choice('sort', sorts).describe(`What it is sorted by: ${sorts[0]} where absent.`),
    order: z.enum(['asc', 'desc'], { error: ORDER }).optional().describe('desc where absent.'),
    from: day.describe('The first day (UTC) that the list is of.'),
    to: day.describe('The last day (UTC) that the list is of.'),
    ...filters,
  });
}

/**
 * The search text. Every word of it must be in the name, the mail address, the reference number, the wallet or the
 * Telegram account: words of three characters or more anywhere in them, shorter ones where a word begins.
 */
export const searchText = z
  .string({ error: SEARCH })
  .max(LONGEST_REVIEW_TEXT.search * 4, SEARCH)
  .overwrite(cleanLine)
  .refine((text) => text.length >= 1 && text.length <= LONGEST_REVIEW_TEXT.search, { error: SEARCH });

/** What tells of a page beside its rows. */
export const pageFields = {
  total: z.int().nonnegative().describe('How many rows there are on all pages.'),
  isTotalExact: z
    .boolean()
    .describe(
      'False where `total` rows were counted and there are more: of a filter or search with very many.',
    ),
  next: z.string().nullable().describe('To be given as `after` for the next page; null where there is none.'),
};

export const referenceNumber = z.string().regex(REFERENCE_NUMBER).describe('BD-YYYYMMDD-NNNNNN.');
export const moment = z.iso.datetime();

export const CHANGED_AT_WORDS =
  'When the record last changed. A decision names it, so that none is made on what another one has changed.';

/** How the record’s own mails and notices went. */
export const deliveryFlags = {
  emailSent: z.boolean().describe('Whether every mail that tells of its receipt was sent.'),
  telegramSent: z.boolean().describe('Whether the notice of its receipt was sent to the team’s chat.'),
};

/** Errors of every call of the admin area that reads. */
export const readErrors = {
  400: 'A parameter is unknown or no value that is taken; the text says which and why.',
  401: 'No admin is signed in, or the session has ended.',
  403: 'The role may not do this.',
  429: 'Too many calls from this address.',
};

/** Errors of every call of the admin area that changes something. */
export const writeErrors = {
  400: 'The body is not what the call takes; nothing was changed.',
  401: 'No admin is signed in, or the session has ended; nothing was changed.',
  403: 'The role may not do this, or a page of another site sent it; nothing was changed.',
  413: 'The body is too large.',
  429: 'Too many changes from this address.',
};
