import type { SubmissionKind } from '../../model/submission-status.ts';

interface SubmissionTable {
  readonly name: string;
  /** Listed by name, because a prepared `select *` fails once another program has added a column. */
  readonly columns: readonly string[];
}

const COMMON_COLUMNS = ['status', 'createdAt', 'changedAt', 'details', 'dueAt'];

export const SUBMISSION_TABLES: Readonly<Record<SubmissionKind, SubmissionTable>> = {
  'card-application': {
    name: 'card_applications',
    columns: [
      ...['id', 'referenceNumber', 'shape', 'name', 'email', 'telegram', 'walletAddress', 'statedAmount'],
      ...['statedTier', 'checkedAmount', 'checkedTier', 'checkedAt', 'isOwnershipProven', ...COMMON_COLUMNS],
    ],
  },
  'verification-request': {
    name: 'verification_requests',
    columns: [
      ...['id', 'referenceNumber', 'walletAddress', 'email', 'telegram', 'checkedDetection', 'requestedAt'],
      ...['isOwnershipProven', 'refusalReason', ...COMMON_COLUMNS],
    ],
  },
  'contact-message': {
    name: 'contact_messages',
    columns: [
      ...['id', 'referenceNumber', 'name', 'email', 'subject', 'category', 'walletAddress', 'closedAt'],
      ...COMMON_COLUMNS,
    ],
  },
  'loan-application': {
    name: 'loan_applications',
    columns: [
      ...['id', 'referenceNumber', 'name', 'email', 'investmentAmount', 'investorType', 'country'],
      ...[
        'refusalReason',
        'decidedAt',
        'confirmationDigest',
        'confirmBy',
        'mailboxConfirmedAt',
        ...COMMON_COLUMNS,
      ],
    ],
  },
};

export const columnList = ({ columns }: SubmissionTable): string =>
  columns.map((column) => `"${column}"`).join(', ');

/** Each kind has its own table, so the kind is looked up first. */
export const SELECT_KIND = 'select kind from $.reference_numbers where "referenceNumber" = $1';
