import type { SubmissionKind } from '../../model/submission-status.ts';
import { type RawRow, submissionCells, toSubmission } from '../rules/submission-rows.ts';
import type { NewSubmissions, Submissions } from '../submission-port.ts';
import { getTableColumns, getTableName } from './drizzle.ts';
import type { Statements } from './list-statements.ts';
import {
  cardApplications,
  contactMessages,
  loanApplications,
  verificationRequests,
} from './submission-schema.ts';

interface SubmissionTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const submissionTable = (table: Parameters<typeof getTableColumns>[0]): SubmissionTable => ({
  name: getTableName(table),
  columns: Object.keys(getTableColumns(table)),
});

export const SUBMISSION_TABLES: Readonly<Record<SubmissionKind, SubmissionTable>> = {
  'card-application': submissionTable(cardApplications),
  'verification-request': submissionTable(verificationRequests),
  'contact-message': submissionTable(contactMessages),
  'loan-application': submissionTable(loanApplications),
};

export function submissionRow<Kind extends SubmissionKind>(
  kind: Kind,
  submission: NewSubmissions[Kind],
  referenceNumber: string,
): RawRow {
  const { details, ...cells } = submissionCells(kind, submission, referenceNumber);
  const row: RawRow = { ...cells, details: JSON.stringify(details) };
  return Object.fromEntries(
    SUBMISSION_TABLES[kind].columns.map((name) => {
      const cell = row[name] ?? null;
      return [name, typeof cell === 'boolean' ? Number(cell) : cell];
    }),
  );
}

/** Reads a submission from a row in the database. SQLite stores booleans as numbers, and JSON as text. */
export function submissionOfRow<Kind extends SubmissionKind>(kind: Kind, row: RawRow): Submissions[Kind] {
  return toSubmission(kind, row, JSON.parse(String(row.details)));
}

/** Also finds the kind of an erased record: its reference number is kept, but not its row. */
export const kindOf = (statements: Statements, referenceNumber: string): SubmissionKind | undefined =>
  statements('select kind from reference_numbers where referenceNumber = ?').pluck().get(referenceNumber) as
    | SubmissionKind
    | undefined;
