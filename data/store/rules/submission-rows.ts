import { CARD_APPLICATION_FIELDS } from '../../model/forms/card-forms.ts';
import { CONTACT_FORM } from '../../model/forms/contact-form.ts';
import { type FormFields, textFieldNames } from '../../model/forms/field.ts';
import { LOAN_FORM } from '../../model/forms/loan-form.ts';
import { VERIFICATION_REQUEST_FIELDS } from '../../model/forms/verification-forms.ts';
import type { SubmissionKind } from '../../model/submission-status.ts';
import { type DueTimeInputs, dueTime } from '../../model/work.ts';
import type { NewSubmissions, Submissions } from '../submission-port.ts';

export type RawRow = Readonly<Record<string, unknown>>;

const detailNames = (fields: FormFields): readonly string[] =>
  textFieldNames(fields).filter((name) => !fields[name]?.hasOwnColumn);

/** The form fields that share the column `details`. */
const DETAIL_NAMES: Readonly<Record<SubmissionKind, readonly string[]>> = {
  'card-application': detailNames(CARD_APPLICATION_FIELDS),
  'verification-request': detailNames(VERIFICATION_REQUEST_FIELDS),
  'contact-message': detailNames(CONTACT_FORM.fields),
  'loan-application': detailNames(LOAN_FORM.fields),
};

/** The cells of a new submission, by column name. A cell without a column is ignored, and a column without a cell is null. */
export function submissionCells<Kind extends SubmissionKind>(
  kind: Kind,
  submission: NewSubmissions[Kind],
  referenceNumber: string,
): RawRow {
  const fields: RawRow = { ...submission };
  const checked = 'checked' in submission ? submission.checked : null;
  return {
    ...fields,
    referenceNumber,
    status: kind === 'contact-message' ? 'open' : 'received',
    changedAt: submission.createdAt,
    dueAt: dueTime(kind, fields as DueTimeInputs, submission.createdAt),
    // Replaces the object from `submission`, because JSON has no bigint. Its parts follow.
    checked: null,
    checkedAmount: checked?.amount.toString(),
    checkedTier: checked?.tier,
    checkedAt: checked?.at,
    details: Object.fromEntries(DETAIL_NAMES[kind].map((name) => [name, fields[name] ?? null])),
  };
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

/** Columns that only lists need, or that have a different form in a submission. */
const OMITTED_COLUMNS: ReadonlySet<string> = new Set([
  ...['sequence', 'tierRank', 'amountRank', 'checkedAmount', 'checkedTier', 'checkedAt'],
  ...['assigneeId', 'dueAt', 'dueLeft', 'dueRank', 'details'],
]);

/**
 * Reads a submission from its row. A field that was added to the form after the submission is null.
 * @param details the content of the column `details`
 */
export function toSubmission<Kind extends SubmissionKind>(
  kind: Kind,
  row: RawRow,
  details: RawRow,
): Submissions[Kind] {
  const submission: Record<string, unknown> = {};
  // Copied one by one, because destructuring takes twice as long.
  for (const name in row) if (!OMITTED_COLUMNS.has(name)) submission[name] = row[name];
  for (const name of DETAIL_NAMES[kind]) submission[name] = details[name] ?? null;
  if ('isOwnershipProven' in row) submission.isOwnershipProven = Boolean(row.isOwnershipProven);
  if (kind === 'card-application') submission.checked = checkedStake(row);
  return submission as unknown as Submissions[Kind];
}
