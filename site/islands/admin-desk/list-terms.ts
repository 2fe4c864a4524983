import type {
  APPLICATION_SORTS,
  CONTACT_SORTS,
  DELIVERY_LOG_SORTS,
  LOAN_SORTS,
  REQUEST_SORTS,
} from '../../../data/contract/admin-records.ts';
import {
  APPLICATION_STATUSES,
  CONTACT_CATEGORIES,
  LOAN_STATUSES,
  REQUEST_STATUSES,
} from '../../../data/model/submission-status.ts';
import { CARD_TIERS } from '../../../data/model/tiers.ts';

/** The tabs of the admin's dashboard, in their order; the first is where it begins. */
export const DESK_TABS = [
  'overview',
  'applications',
  'contacts',
  'delivery-logs',
  'verification-requests',
  'loan-applications',
] as const;
export type DeskTab = (typeof DESK_TABS)[number];
export type ListTab = Exclude<DeskTab, 'overview'>;

export const TAB_NAMES: Readonly<Record<DeskTab, string>> = {
  overview: 'Overview',
  applications: 'Applications',
  contacts: 'Contacts',
  'delivery-logs': 'Delivery Logs',
  'verification-requests': 'Verification Requests',
  'loan-applications': 'Loan Applications',
};

/** A choice among the values of a parameter of a list. */
export interface ListFilter {
  /** The parameter. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly string[];
}

/** What a list may be asked for. */
export interface ListTerms {
  /** What it can be sorted by; the first is what it begins with, the newest first. */
  readonly sorts: readonly string[];
  readonly filters: readonly ListFilter[];
}

const status = (options: readonly string[]): ListFilter => ({ name: 'status', label: 'Status', options });

// Named by their types alone: the declaring module would bring its schemas into the browser.
const applicationSorts: typeof APPLICATION_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'tier',
  'bdAmount',
  'status',
];
const contactSorts: typeof CONTACT_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'subject',
  'category',
];
const logSorts: typeof DELIVERY_LOG_SORTS = ['attemptedAt'];
const requestSorts: typeof REQUEST_SORTS = [
  'createdAt',
  'referenceNumber',
  'email',
  'walletAddress',
  'status',
];
const loanSorts: typeof LOAN_SORTS = [
  'createdAt',
  'referenceNumber',
  'name',
  'email',
  'investmentAmount',
  'investorType',
  'country',
  'status',
];

export const LIST_TERMS: Readonly<Record<ListTab, ListTerms>> = {
  applications: {
    sorts: applicationSorts,
    filters: [
      status(APPLICATION_STATUSES),
      { name: 'tier', label: 'Tier', options: [...CARD_TIERS, 'None'] },
    ],
  },
  contacts: {
    sorts: contactSorts,
    filters: [{ name: 'category', label: 'Category', options: CONTACT_CATEGORIES }],
  },
  'delivery-logs': {
    sorts: logSorts,
    filters: [
      { name: 'method', label: 'Method', options: ['email', 'telegram'] },
      { name: 'result', label: 'Result', options: ['success', 'failure'] },
      { name: 'dead', label: 'Given up', options: ['only'] },
    ],
  },
  'verification-requests': { sorts: requestSorts, filters: [status(REQUEST_STATUSES)] },
  'loan-applications': { sorts: loanSorts, filters: [status(LOAN_STATUSES)] },
};

/** Rows of a page to choose from; the first is what a list begins with. */
export const LIST_SIZES = [10, 25, 50, 100] as const;
