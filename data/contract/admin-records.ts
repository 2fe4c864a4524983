import { z } from 'zod';
import {
  APPLICATION_STATUSES,
  CONTACT_CATEGORIES,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  SUBMISSION_KINDS,
} from '../model/submission-status.ts';
import { CARD_TIERS } from '../model/tiers.ts';
import {
  CHANGED_AT_WORDS,
  choice,
  deliveryFlags,
  listQuery,
  moment,
  pageFields,
  readErrors,
  referenceNumber,
  searchText,
} from './admin-lists.ts';
import type { Call } from './call.ts';

/*
 * The admin's lists. Each has two calls of one path: GET for its pages, POST for a search, whose text may be a name or a
 * mail address and so must not stand in a URL. Both answer the same.
 */

const searchErrors = {
  ...readErrors,
  403: 'The role may not do this, or a page of another site sent it.',
  413: 'The body is too large.',
};

export const applicationRow = z.object({
  id: z.string(),
  referenceNumber,
  name: z.string(),
  email: z.string(),
  tier: z
    .string()
    .nullable()
    .describe('As the portal read it then; where it could not, as the applicant’s page stated it.'),
  bdAmount: z
    .string()
    .nullable()
    .describe(
      'BD staked, as decimal text where the portal read it; else what the applicant’s page stated, in its own words.',
    ),
  isStakeChecked: z.boolean().describe('Whether tier and bdAmount are what the portal read itself.'),
  ...deliveryFlags,
  createdAt: moment,
  status: z.enum(APPLICATION_STATUSES),
  changedAt: moment.describe(CHANGED_AT_WORDS),
  walletAddress: z.string().nullable(),
  isOwnershipProven: z.boolean().describe('Whether the sender had proved that the wallet is theirs.'),
});
export type ApplicationRow = z.infer<typeof applicationRow>;

export const APPLICATION_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'tier',
  'bdAmount',
  'status',
] as const;
export const APPLICATION_TIERS = [...CARD_TIERS, 'None'] as const;

const applicationQuery = listQuery(APPLICATION_SORTS, {
  status: choice('status', APPLICATION_STATUSES),
  tier: choice('tier', APPLICATION_TIERS),
});
const applicationPage = z.object({ applications: z.array(applicationRow), ...pageFields });

export const adminApplications = {
  method: 'GET',
  path: '/api/admin/applications',
  summary: 'Card applications, page by page',
  access: 'viewer',
  query: applicationQuery,
  response: applicationPage,
  errors: readErrors,
  live: false,
} as const satisfies Call;

export const searchApplications = {
  method: 'POST',
  path: '/api/admin/applications',
  summary: 'Card applications that a text is found in, page by page',
  access: 'viewer',
  body: applicationQuery.extend({ q: searchText }),
  response: applicationPage,
  errors: searchErrors,
  live: false,
} as const satisfies Call;

export const contactRow = z.object({
  id: z.string(),
  referenceNumber,
  name: z.string(),
  email: z.string(),
  subject: z.string().nullable(),
  category: z.enum(CONTACT_CATEGORIES).nullable(),
  ...deliveryFlags,
  createdAt: moment,
});
export type ContactRow = z.infer<typeof contactRow>;

export const CONTACT_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'subject',
  'category',
] as const;

const contactQuery = listQuery(CONTACT_SORTS, { category: choice('category', CONTACT_CATEGORIES) });
const contactPage = z.object({ contacts: z.array(contactRow), ...pageFields });

export const adminContacts = {
  method: 'GET',
  path: '/api/admin/contacts',
  summary: 'Messages to support, page by page',
  access: 'viewer',
  query: contactQuery,
  response: contactPage,
  errors: readErrors,
  live: false,
} as const satisfies Call;

export const searchContacts = {
  method: 'POST',
  path: '/api/admin/contacts',
  summary: 'Messages to support that a text is found in, page by page; the subject is searched too',
  access: 'viewer',
  body: contactQuery.extend({ q: searchText }),
  response: contactPage,
  errors: searchErrors,
  live: false,
} as const satisfies Call;

export const requestRow = z.object({
  id: z.string(),
  referenceNumber,
  walletAddress: z.string(),
  email: z.string(),
  telegram: z.string().nullable().describe('Without the @.'),
  claimedAmount: z.string().describe('BD staked, as the sender claims it, in their words.'),
  checkedDetection: z
    .string()
    .nullable()
    .describe('What the portal detected itself at that moment; null where it could not.'),
  isOwnershipProven: z.boolean(),
  ...deliveryFlags,
  createdAt: moment,
  status: z.enum(REQUEST_STATUSES),
  changedAt: moment.describe(CHANGED_AT_WORDS),
});
export type RequestRow = z.infer<typeof requestRow>;

export const REQUEST_SORTS = ['createdAt', 'referenceNumber', 'email', 'walletAddress', 'status'] as const;

const requestQuery = listQuery(REQUEST_SORTS, { status: choice('status', REQUEST_STATUSES) });
const requestPage = z.object({ requests: z.array(requestRow), ...pageFields });

export const adminRequests = {
  method: 'GET',
  path: '/api/admin/verification-requests',
  summary: 'Requests for manual verification, page by page',
  access: 'viewer',
  query: requestQuery,
  response: requestPage,
  errors: readErrors,
  live: false,
} as const satisfies Call;

export const searchRequests = {
  method: 'POST',
  path: '/api/admin/verification-requests',
  summary: 'Requests for manual verification that a text is found in, page by page',
  access: 'viewer',
  body: requestQuery.extend({ q: searchText }),
  response: requestPage,
  errors: searchErrors,
  live: false,
} as const satisfies Call;

export const loanRow = z.object({
  id: z.string(),
  referenceNumber,
  name: z.string(),
  email: z.string(),
  investmentAmount: z.int().nonnegative().describe('Whole US dollars.'),
  investorType: z.string(),
  country: z.string().describe('ISO 3166-1 alpha-2.'),
  ...deliveryFlags,
  createdAt: moment,
  status: z.enum(LOAN_STATUSES),
  changedAt: moment.describe(CHANGED_AT_WORDS),
});
export type LoanRow = z.infer<typeof loanRow>;

export const LOAN_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'investmentAmount',
  'investorType',
  'country',
  'status',
] as const;

const loanQuery = listQuery(LOAN_SORTS, { status: choice('status', LOAN_STATUSES) });
const loanPage = z.object({ loanApplications: z.array(loanRow), ...pageFields });

export const adminLoans = {
  method: 'GET',
  path: '/api/admin/loan-applications',
  summary: 'Applications for the loan note, page by page',
  access: 'viewer',
  query: loanQuery,
  response: loanPage,
  errors: readErrors,
  live: false,
} as const satisfies Call;

export const searchLoans = {
  method: 'POST',
  path: '/api/admin/loan-applications',
  summary: 'Applications for the loan note that a text is found in, page by page',
  access: 'viewer',
  body: loanQuery.extend({ q: searchText }),
  response: loanPage,
  errors: searchErrors,
  live: false,
} as const satisfies Call;

/** How a delivery is made, by the portal's words for it on screens. */
export const DELIVERY_METHODS = ['email', 'telegram'] as const;
export const DELIVERY_STATES = ['waiting', 'leased', 'sent', 'dead'] as const;

export const deliveryLogRow = z.object({
  id: z.string(),
  deliveryId: z.string(),
  deliveryMethod: z.enum(DELIVERY_METHODS),
  kind: z.enum(SUBMISSION_KINDS),
  event: z.string().describe('What it tells of, such as card-application.received.'),
  audience: z.enum(['applicant', 'team']).describe('applicant: who sent the form.'),
  referenceNumber,
  applicantName: z.string().describe('The mail address where the form asks for no name.'),
  recipient: z.string().describe('Masked.'),
  success: z.boolean(),
  outcome: z
    .enum(['sent', 'retry', 'dead', 'unknown'])
    .describe(
      'retry: tried again later. dead: given up. unknown: the other side may or may not have taken it.',
    ),
  error: z.string().nullable(),
  attemptedAt: moment,
  latencyMs: z.int().nonnegative(),
  deliveryState: z.enum(DELIVERY_STATES).describe('Where the delivery stands now.'),
  isRetryable: z.boolean().describe('Whether the delivery was given up and this is its newest try.'),
});
export type DeliveryLogRow = z.infer<typeof deliveryLogRow>;

export const DELIVERY_LOG_SORTS = ['attemptedAt'] as const;

const deliveryLogQuery = listQuery(DELIVERY_LOG_SORTS, {
  method: choice('method', DELIVERY_METHODS),
  result: choice('result', ['success', 'failure']),
  dead: choice('dead', ['only']).describe('only: the newest try of each delivery that was given up.'),
});
const deliveryLogPage = z.object({ logs: z.array(deliveryLogRow), ...pageFields });

export const adminDeliveryLogs = {
  method: 'GET',
  path: '/api/admin/delivery-logs',
  summary: 'Tries to deliver mails and notices, page by page',
  access: 'viewer',
  query: deliveryLogQuery,
  response: deliveryLogPage,
  errors: readErrors,
  live: false,
} as const satisfies Call;

export const searchDeliveryLogs = {
  method: 'POST',
  path: '/api/admin/delivery-logs',
  summary: 'Tries to deliver what tells of submissions that a text is found in, page by page',
  access: 'viewer',
  body: deliveryLogQuery.extend({ q: searchText }),
  response: deliveryLogPage,
  errors: searchErrors,
  live: false,
} as const satisfies Call;
