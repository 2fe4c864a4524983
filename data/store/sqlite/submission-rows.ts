import { CARD_APPLICATION_FIELDS } from '../../model/forms/card-forms.ts';
import { CONTACT_FORM } from '../../model/forms/contact-form.ts';
import { type FormFields, textNames } from '../../model/forms/field.ts';
import { LOAN_FORM } from '../../model/forms/loan-form.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../model/forms/verification-forms.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import type { NewSubmissions, Submissions } from '../submission-port.ts';
import { getTableColumns, getTableName } from './drizzle.ts';
import {
  cardApplications,
  contactMessages,
  loanApplications,
  verificationRequests,
} from './submission-schema.ts';

/** A row as SQLite returns it, without booleans, amounts and JSON. */
export type RawRow = Readonly<Record<string, unknown>>;

interface SubmissionTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The form fields that share the column `details`. */
  readonly details: readonly string[];
}

function submissionTable(table: Parameters<typeof getTableColumns>[0], fields: FormFields): SubmissionTable {
  return {
    name: getTableName(table),
    columns: Object.keys(getTableColumns(table)),
    details: textNames(fields).filter((name) => !fields[name]?.column),
  };
}

export const SUBMISSION_TABLES: Readonly<Record<SubmissionKind, SubmissionTable>> = {
  'card-application': submissionTable(cardApplications, CARD_APPLICATION_FIELDS),
  'verification-request': submissionTable(verificationRequests, VERIFICATION_REQUEST_FIELDS),
  'contact-message': submissionTable(contactMessages, CONTACT_FORM.fields),
  'loan-application': submissionTable(loanApplications, LOAN_FORM.fields),
};

/** The row of a new submission, with every column of its table. */
export function rowOf<Kind extends SubmissionKind>(
  kind: Kind,
  submission: NewSubmissions[Kind],
  referenceNumber: string,
): RawRow {
  const { columns, details } = SUBMISSION_TABLES[kind];
  const fields: RawRow = { ...submission };
  const checked = 'checked' in submission ? submission.checked : null;
  const cells: RawRow = {
    ...fields,
    referenceNumber,
    status: 'received',
    changedAt: submission.createdAt,
    checkedAmount: checked?.amount.toString(),
    checkedTier: checked?.tier,
    checkedAt: checked?.at,
    details: JSON.stringify(Object.fromEntries(details.map((name) => [name, fields[name] ?? null]))),
  };
  return Object.fromEntries(
    columns.map((name) => {
      const cell = cells[name] ?? null;
      return [name, typeof cell === 'boolean' ? Number(cell) : cell];
    }),
  );
}

function checkedStake({
  checkedAmount,
  checkedTier,
  checkedAt,
}: RawRow): Submissions['card-application']['checked'] {
  if (typeof checkedAmount !== 'string' || typeof checkedTier !== 'string' || typeof checkedAt !== 'number') {
    return null;
  }
  return { amount: BigInt(checkedAmount), tier: checkedTier, at: checkedAt };
}

/** Reads a submission from its row. A field that was added to the form later is null. */
export function submissionOf<Kind extends SubmissionKind>(kind: Kind, row: RawRow): Submissions[Kind] {
  // Leaves out the columns that only lists need.
  const { sequence, tierRank, amountRank, checkedAmount, checkedTier, checkedAt, details, ...columns } = row;
  const stored: RawRow = JSON.parse(String(details));
  // Changed in place, because copying each row three times takes as long as finding the page.
  const submission: Record<string, unknown> = columns;
  for (const name of SUBMISSION_TABLES[kind].details) submission[name] = stored[name] ?? null;
  if ('isOwnershipProven' in row) submission.isOwnershipProven = row.isOwnershipProven === 1;
  if (kind === 'card-application') submission.checked = checkedStake(row);
  return submission as unknown as Submissions[Kind];
}
