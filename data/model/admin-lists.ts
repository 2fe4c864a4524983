import {
  defineList,
  type Fields,
  formDetails,
  formDialogFields,
  type ListDefinition,
  type ValuesOf,
} from './define-list.ts';
import {
  ATTEMPT_OUTCOMES,
  COMBINED_DELIVERY_STATES,
  DELIVERY_METHODS,
  DELIVERY_STATES,
} from './delivery-states.ts';
import { CARD_APPLICATION_FIELDS } from './forms/card-forms.ts';
import { CONTACT_CATEGORIES, CONTACT_FORM } from './forms/contact-form.ts';
import { LOAN_FORM } from './forms/loan-form.ts';
import { VERIFICATION_REQUEST_FIELDS } from './forms/verification-forms.ts';
import { RECEIVED_FILTER_VALUES } from './received-filter.ts';
import {
  APPLICATION_FORM_VARIANTS,
  APPLICATION_STATUSES,
  CONTACT_STATUSES,
  DELIVERY_SUBJECTS,
  LOAN_STATUSES,
  REQUEST_STATUSES,
  type SubmissionKind,
} from './submission-status.ts';
import { CARD_TIERS } from './tiers.ts';
import { ASSIGNEE_FILTER_DESCRIPTION, ASSIGNEE_FILTER_VALUES, DUE_FILTER_VALUES } from './work.ts';

export const CHANGED_AT_DESCRIPTION =
  'When the record last changed. Send it with a decision, which fails if the record has changed since.';

const id = { kind: 'code' } as const;
const referenceNumber = { kind: 'reference', sort: 'asc' } as const;
const name = { kind: 'text', sort: 'asc' } as const;
const email = { kind: 'text', sort: 'asc' } as const;
const createdAt = { kind: 'moment', sort: 'desc' } as const;
const changedAt = { kind: 'moment', about: CHANGED_AT_DESCRIPTION } as const;
const optionalText = { kind: 'text', isNullable: true } as const;
const deliveryFields = {
  emailSent: { kind: 'flag', about: 'Whether every email about the new submission was sent.' },
  telegramSent: {
    kind: 'flag',
    about: 'Whether the notice of the new submission was sent to the team’s chat.',
  },
  emailState: {
    kind: 'choice',
    values: COMBINED_DELIVERY_STATES,
    isExported: false,
    about:
      'The emails about the new submission. failed: one has failed permanently. settled: the team informed the applicant in another way.',
  },
  telegramState: {
    kind: 'choice',
    values: COMBINED_DELIVERY_STATES,
    isExported: false,
    about: 'The notice of the new submission to the team’s chat.',
  },
  mailBounced: {
    kind: 'flag',
    isExported: false,
    about: 'Whether an email to the applicant, of any kind, has failed permanently and is not settled.',
  },
} as const satisfies Fields;
const workFields = {
  assigneeId: {
    kind: 'code',
    isNullable: true,
    isExported: false,
    about: 'The admin who works on the record; null if nobody does.',
  },
  assignee: { kind: 'text', isNullable: true, about: 'The username of the admin who works on the record.' },
  dueAt: {
    kind: 'moment',
    isNullable: true,
    sort: 'asc',
    about: 'By when the team has to act; null unless the record waits for the team.',
  },
  isWaiting: {
    kind: 'flag',
    isExported: false,
    about:
      'Whether the record waits for the applicant’s answer. Meanwhile, the team’s response time is paused.',
  },
} as const satisfies Fields;
const workFilters = {
  assignee: {
    label: 'Assignee',
    values: ASSIGNEE_FILTER_VALUES,
    takesAdmin: true,
    about: ASSIGNEE_FILTER_DESCRIPTION,
  },
  due: {
    label: 'Due',
    values: DUE_FILTER_VALUES,
    about: 'open: records that wait for the team. overdue: open records that are past their due time.',
  },
} as const;
/** A filter for records that wait for the applicant's answer. Contact messages have the status `waiting` instead. */
const waitingFilter = {
  label: 'Waiting',
  values: ['applicant'],
  about: 'applicant: the team asked something, and the record waits for the answer.',
} as const;
const receivedFilter = {
  label: 'Received',
  values: RECEIVED_FILTER_VALUES,
  about: 'Days in UTC, relative to today. A week begins on Monday.',
} as const;
const workColumns = [
  { field: 'assignee', label: 'Assignee' },
  { field: 'dueAt', label: 'Due' },
] as const;

const mailFilter = {
  label: 'Mail',
  values: ['bounced'],
  about: 'bounced: an email to the applicant has failed permanently.',
} as const;

const applicationFields = {
  id,
  referenceNumber,
  name,
  email,
  tier: {
    kind: 'text',
    isNullable: true,
    sort: 'asc',
    about:
      'The tier that the portal read when the form arrived. If the portal could not read it, the tier that the applicant’s page sent.',
  },
  bdAmount: {
    kind: 'bd',
    isNullable: true,
    sort: 'desc',
    about:
      'BD staked: decimal text if the portal read it; otherwise the text that the applicant’s page sent.',
  },
  isStakeChecked: { kind: 'flag', about: 'Whether the portal read tier and bdAmount itself.' },
  ...deliveryFields,
  createdAt,
  status: { kind: 'choice', values: APPLICATION_STATUSES, sort: 'asc' },
  changedAt,
  ...workFields,
  walletAddress: { kind: 'code', isNullable: true },
  isOwnershipProven: { kind: 'flag', about: 'Whether the applicant had proven control of the wallet.' },
} as const satisfies Fields;

const APPLICATIONS = defineList({
  id: 'applications',
  rowsField: 'applications',
  rowsLabel: 'Card applications',
  kind: 'card-application',
  tab: 'Applications',
  title: 'Virtual Card Applications',
  recordTitle: 'Application Details',
  emptyText: 'No card applications yet.',
  initialSort: 'createdAt',
  undecidedStatuses: ['received', 'in-review'],
  openingField: 'referenceNumber',
  fields: applicationFields,
  details: {
    shape: {
      kind: 'choice',
      values: APPLICATION_FORM_VARIANTS,
      about: 'The form that the application came from.',
    },
    ...formDetails(CARD_APPLICATION_FIELDS, applicationFields),
    statedAmount: { kind: 'bd', isNullable: true, about: 'BD as the applicant’s page stated it.' },
    statedTier: optionalText,
    checkedAmount: {
      kind: 'bd',
      isNullable: true,
      about: 'Staked BD that the portal read, as decimal text; null if it could not read the stake.',
    },
    checkedTier: optionalText,
    checkedAt: { kind: 'moment', isNullable: true },
  },
  columns: [
    { field: 'referenceNumber', label: 'Reference' },
    { field: 'name', label: 'Name' },
    { field: 'email', label: 'Email' },
    { field: 'tier', label: 'Tier' },
    { field: 'bdAmount', label: 'BD Amount' },
    { field: 'emailSent', label: 'Status' },
    { field: 'status', label: 'Review' },
    ...workColumns,
    { field: 'createdAt', label: 'Date' },
  ],
  dialogFields: [
    { field: 'referenceNumber', label: 'Reference Number' },
    { field: 'createdAt', label: 'Date Submitted' },
    ...formDialogFields(CARD_APPLICATION_FIELDS).slice(0, 2),
    { field: 'tier', label: 'Membership Tier' },
    { field: 'bdAmount', label: 'BD Token Amount' },
    { field: 'emailSent', label: 'Delivery Status' },
    { field: 'isOwnershipProven', label: 'Wallet ownership' },
    { field: 'isStakeChecked', label: 'Stake' },
    { field: 'statedAmount', label: 'Stated by the applicant' },
    ...formDialogFields(CARD_APPLICATION_FIELDS).slice(2),
  ],
  filters: {
    status: { label: 'Status', values: APPLICATION_STATUSES },
    tier: { label: 'Tier', values: [...CARD_TIERS, 'None'] },
    mail: mailFilter,
    waiting: waitingFilter,
    ...workFilters,
    received: receivedFilter,
  },
});

const contactFields = {
  id,
  referenceNumber,
  name,
  email,
  subject: { kind: 'text', isNullable: true, sort: 'asc' },
  category: { kind: 'choice', values: CONTACT_CATEGORIES, isNullable: true, sort: 'asc' },
  ...deliveryFields,
  createdAt,
  status: { kind: 'choice', values: CONTACT_STATUSES, sort: 'asc' },
  changedAt,
  ...workFields,
} as const satisfies Fields;

const CONTACTS = defineList({
  id: 'contacts',
  rowsField: 'contacts',
  rowsLabel: 'Messages to support',
  kind: 'contact-message',
  tab: 'Contacts',
  title: 'Contact Submissions',
  recordTitle: 'Contact Details',
  emptyText: 'No messages yet.',
  initialSort: 'createdAt',
  undecidedStatuses: ['open'],
  openingField: 'name',
  fields: contactFields,
  details: {
    ...formDetails(CONTACT_FORM.fields, contactFields),
    closedAt: { kind: 'moment', isNullable: true, about: 'The message is deleted some time after this.' },
  },
  columns: [
    { field: 'name', label: 'Name' },
    { field: 'email', label: 'Email' },
    { field: 'subject', label: 'Subject' },
    { field: 'category', label: 'Category' },
    { field: 'status', label: 'Status' },
    ...workColumns,
    { field: 'createdAt', label: 'Date' },
  ],
  dialogFields: [
    ...formDialogFields(CONTACT_FORM.fields),
    { field: 'createdAt', label: 'Date' },
    { field: 'emailSent', label: 'Delivery' },
    { field: 'referenceNumber', label: 'Reference Number' },
  ],
  filters: {
    status: { label: 'Status', values: CONTACT_STATUSES },
    category: { label: 'Category', values: CONTACT_CATEGORIES },
    mail: mailFilter,
    ...workFilters,
    received: receivedFilter,
  },
  extraSearchedText: 'the subject and the message',
});

const requestFields = {
  id,
  referenceNumber,
  walletAddress: { kind: 'code', sort: 'asc' },
  email,
  telegram: { kind: 'telegram', isNullable: true },
  claimedAmount: { kind: 'bd', about: 'BD staked according to the applicant, as typed.' },
  checkedDetection: {
    kind: 'text',
    isNullable: true,
    about: 'What the portal itself detected when the request arrived; null if it could not check.',
  },
  isOwnershipProven: { kind: 'flag' },
  ...deliveryFields,
  createdAt,
  status: { kind: 'choice', values: REQUEST_STATUSES, sort: 'asc' },
  changedAt,
  ...workFields,
} as const satisfies Fields;

const REQUESTS = defineList({
  id: 'verification-requests',
  rowsField: 'requests',
  rowsLabel: 'Requests for manual verification',
  kind: 'verification-request',
  tab: 'Verification Requests',
  title: 'Verification Requests',
  recordTitle: 'Verification Request',
  emptyText: 'No verification requests yet.',
  initialSort: 'createdAt',
  undecidedStatuses: ['received'],
  openingField: 'referenceNumber',
  fields: requestFields,
  details: {
    ...formDetails(VERIFICATION_REQUEST_FIELDS, requestFields),
    requestedAt: { kind: 'moment', about: 'The time of the request, by the applicant’s clock.' },
    refusalReason: optionalText,
  },
  columns: [
    { field: 'referenceNumber', label: 'Reference' },
    { field: 'walletAddress', label: 'Wallet' },
    { field: 'email', label: 'Email' },
    { field: 'claimedAmount', label: 'Claimed BD' },
    { field: 'isOwnershipProven', label: 'Proven' },
    { field: 'status', label: 'Status' },
    ...workColumns,
    { field: 'createdAt', label: 'Date' },
  ],
  dialogFields: [
    { field: 'referenceNumber', label: 'Reference Number' },
    { field: 'createdAt', label: 'Date Submitted' },
    { field: 'isOwnershipProven', label: 'Wallet ownership' },
    ...formDialogFields(VERIFICATION_REQUEST_FIELDS),
    { field: 'checkedDetection', label: 'Detected by the portal' },
    { field: 'emailSent', label: 'Delivery Status' },
  ],
  filters: {
    status: { label: 'Status', values: REQUEST_STATUSES },
    mail: mailFilter,
    waiting: waitingFilter,
    ...workFilters,
    received: receivedFilter,
  },
});

const loanFields = {
  id,
  referenceNumber,
  name,
  email,
  investmentAmount: { kind: 'usd', sort: 'desc', about: 'Whole US dollars.' },
  investorType: { kind: 'code', sort: 'asc' },
  country: { kind: 'code', sort: 'asc', about: 'ISO 3166-1 alpha-2.' },
  ...deliveryFields,
  createdAt,
  status: { kind: 'choice', values: LOAN_STATUSES, sort: 'asc' },
  changedAt,
  ...workFields,
} as const satisfies Fields;

const LOANS = defineList({
  id: 'loan-applications',
  rowsField: 'loanApplications',
  rowsLabel: 'Applications for the loan note',
  kind: 'loan-application',
  tab: 'Loan Applications',
  title: 'Loan Applications',
  recordTitle: 'Loan Application',
  emptyText: 'No loan applications yet.',
  initialSort: 'createdAt',
  undecidedStatuses: ['received', 'in-review'],
  openingField: 'referenceNumber',
  fields: loanFields,
  details: {
    ...formDetails(LOAN_FORM.fields, loanFields),
    refusalReason: optionalText,
    decidedAt: { kind: 'moment', isNullable: true },
    mailboxConfirmedAt: { kind: 'moment', isNullable: true },
    confirmBy: {
      kind: 'moment',
      isNullable: true,
      about:
        'When the documents will be deleted if the mailbox is not confirmed; null if no deletion is due.',
    },
  },
  columns: [
    { field: 'referenceNumber', label: 'Reference' },
    { field: 'name', label: 'Name' },
    { field: 'investmentAmount', label: 'Amount' },
    { field: 'investorType', label: 'Investor' },
    { field: 'country', label: 'Country' },
    { field: 'emailSent', label: 'Sent' },
    { field: 'status', label: 'Status' },
    ...workColumns,
    { field: 'createdAt', label: 'Date' },
  ],
  dialogFields: [
    { field: 'referenceNumber', label: 'Reference Number' },
    { field: 'createdAt', label: 'Date Submitted' },
    ...formDialogFields(LOAN_FORM.fields),
    { field: 'mailboxConfirmedAt', label: 'Email Confirmation' },
    { field: 'emailSent', label: 'Delivery Status' },
  ],
  filters: {
    status: { label: 'Status', values: LOAN_STATUSES },
    mail: mailFilter,
    waiting: waitingFilter,
    ...workFilters,
    received: receivedFilter,
  },
  extraSearchedText: 'the name of the country',
});

const DELIVERY_LOGS = defineList({
  id: 'delivery-logs',
  rowsField: 'logs',
  rowsLabel: 'Delivery attempts',
  kind: null,
  tab: 'Delivery Logs',
  title: 'Delivery Logs',
  recordTitle: '',
  emptyText: 'No deliveries yet.',
  initialSort: 'attemptedAt',
  undecidedStatuses: [],
  openingField: 'referenceNumber',
  fields: {
    id,
    deliveryId: { kind: 'code' },
    deliveryMethod: { kind: 'choice', values: DELIVERY_METHODS },
    kind: { kind: 'choice', values: DELIVERY_SUBJECTS },
    event: { kind: 'code', about: 'What happened, such as card-application.received or alert.begun.' },
    audience: {
      kind: 'choice',
      values: ['applicant', 'team'],
      about: 'applicant: the person who sent the form, or asked for reminders. team: the team, or an admin.',
    },
    referenceNumber: {
      kind: 'code',
      about: 'The reference number of the record, or the id of an alert, a transfer and so on.',
    },
    applicantName: {
      kind: 'text',
      about:
        'The applicant’s name, or the email address if the form does not ask for a name. If the delivery is not about a record, the same as referenceNumber.',
    },
    recipient: { kind: 'text', about: 'Masked.' },
    success: { kind: 'flag' },
    outcome: {
      kind: 'choice',
      values: ATTEMPT_OUTCOMES,
      about:
        'retry: tried again later. dead: no more attempts. unknown: the peer may or may not have accepted it.',
    },
    error: optionalText,
    attemptedAt: { kind: 'moment', sort: 'desc' },
    latencyMs: { kind: 'milliseconds' },
    deliveryState: { kind: 'choice', values: DELIVERY_STATES, about: 'The state of the delivery now.' },
    isRetryable: {
      kind: 'flag',
      isExported: false,
      about: 'Whether the delivery has failed permanently and this is its newest attempt.',
    },
  },
  details: {},
  columns: [
    { field: 'deliveryMethod', label: 'Method' },
    { field: 'referenceNumber', label: 'Application' },
    { field: 'applicantName', label: 'Applicant' },
    { field: 'success', label: 'Status' },
    { field: 'error', label: 'Error' },
    { field: 'attemptedAt', label: 'Date' },
    { field: 'isRetryable', label: 'Retry' },
  ],
  dialogFields: [],
  filters: {
    method: { label: 'Method', values: DELIVERY_METHODS },
    result: { label: 'Result', values: ['success', 'failure'] },
    dead: {
      label: 'Failed',
      values: ['only'],
      about: 'only: the newest attempt of each delivery that has failed permanently.',
    },
    received: { ...receivedFilter, label: 'Time' },
  },
});

/** The lists of the admin area, in the order of the dashboard's tabs. */
export const ADMIN_LISTS = {
  applications: APPLICATIONS,
  contacts: CONTACTS,
  'delivery-logs': DELIVERY_LOGS,
  'verification-requests': REQUESTS,
  'loan-applications': LOANS,
} as const;
export type AdminLists = typeof ADMIN_LISTS;
export type ListId = keyof AdminLists;
export const LIST_IDS = Object.keys(ADMIN_LISTS) as readonly ListId[];

export type RowOf<Id extends ListId> = ValuesOf<AdminLists[Id]['fields']>;
export type RecordOf<Id extends ListId> = RowOf<Id> & ValuesOf<AdminLists[Id]['details']>;
/** A page of a list, without its rows. */
export interface ListPage {
  /** The number of rows on all pages, up to the point where counting stopped. */
  readonly total: number;
  /** False if there may be more than `total` rows, because counting stopped at a limit or was skipped. */
  readonly isTotalExact: boolean;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}
export type PageOf<Id extends ListId> = ListPage & {
  readonly [Name in AdminLists[Id]['rowsField']]: readonly RowOf<Id>[];
};

export const listDefinition = (list: ListId): ListDefinition => ADMIN_LISTS[list];

export const LIST_OF_KIND = {
  'card-application': 'applications',
  'contact-message': 'contacts',
  'verification-request': 'verification-requests',
  'loan-application': 'loan-applications',
} as const satisfies Record<SubmissionKind, ListId>;
