import type { SubmissionKind } from '../../model/submission-status.ts';
import { SUBMISSION_EVENT_NAMES } from '../application-port.ts';
import type { ListedRows } from '../record-port.ts';
import type { ListedTable } from './record-lists.ts';

/** Whether all deliveries of a record's receipt over a channel were sent; not where there are none. */
function sentOver(kind: SubmissionKind, channel: 'mail' | 'telegram'): string {
  return `coalesce((select min(d.state = 'sent') from deliveries d where d.referenceNumber = a.referenceNumber and d.event = '${SUBMISSION_EVENT_NAMES[kind]}' and d.channel = '${channel}'), 0)`;
}

const flags = (kind: SubmissionKind): string =>
  `${sentOver(kind, 'mail')} as isMailSent, ${sentOver(kind, 'telegram')} as isNoticeSent`;

/** Sorts by columns, each with the index `<table>_by_<column>`; texts that people wrote without regard to case. */
function sortsOf(table: string, columns: Readonly<Record<string, string>>): ListedTable['sorts'] {
  const sorts = Object.entries(columns).map(([name, by]) => {
    const column = /\w+/.exec(by.replace(/^coalesce\(/, '').replace('a.', ''))?.[0] ?? name;
    return [name, { by, index: `${table}_by_${column}` }] as const;
  });
  // Reference numbers are unique, and SQLite has their index under a name of its own.
  const unique = { by: 'a.referenceNumber', index: `${table}_referenceNumber_unique` };
  return { ...Object.fromEntries(sorts), referenceNumber: unique };
}

const NAMED = {
  createdAt: 'a.createdAt',
  name: 'a.name collate nocase',
  email: 'a.email collate nocase',
};

type TableName = Exclude<keyof ListedRows, 'attempts'>;

export const LISTED_TABLES: Readonly<Record<TableName, ListedTable>> = {
  applications: {
    table: 'card_applications',
    kind: 'card-application',
    words: 'application_words',
    columns: `a.*, ${flags('card-application')}`,
    sorts: sortsOf('card_applications', {
      ...NAMED,
      tier: 'a.tierRank',
      bdAmount: 'a.amountRank',
      status: 'a.status',
    }),
    filters: { status: 'a.status = ?', tier: 'a.tierRank = ?' },
  },
  contacts: {
    table: 'contact_messages',
    kind: 'contact-message',
    words: 'contact_words',
    columns: `a.*, ${flags('contact-message')}`,
    sorts: sortsOf('contact_messages', {
      ...NAMED,
      subject: "coalesce(a.subject, '') collate nocase",
      category: "coalesce(a.category, '')",
    }),
    filters: { category: 'a.category = ?' },
  },
  requests: {
    table: 'verification_requests',
    kind: 'verification-request',
    words: 'request_words',
    columns: `a.*, ${flags('verification-request')}`,
    sorts: sortsOf('verification_requests', {
      createdAt: NAMED.createdAt,
      email: NAMED.email,
      walletAddress: 'a.walletAddress',
      status: 'a.status',
    }),
    filters: { status: 'a.status = ?' },
  },
  loans: {
    table: 'loan_applications',
    kind: 'loan-application',
    words: 'loan_words',
    columns: `a.*, ${flags('loan-application')}`,
    sorts: sortsOf('loan_applications', {
      ...NAMED,
      investmentAmount: 'a.investmentAmount',
      investorType: 'a.investorType',
      country: 'a.country',
      status: 'a.status',
    }),
    filters: { status: 'a.status = ?' },
  },
};
