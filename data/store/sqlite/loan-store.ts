import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { SubmissionTerms } from '../application-port.ts';
import type { LoanDocument, LoanStore, NewLoanApplication } from '../loan-port.ts';
import type { GroupCommit } from './group-commit.ts';
import { prepareLoanStatements } from './loan-statements.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import type { TakeSubmission } from './take-submission.ts';

/** The part of `app.db` that holds applications for the loan note and their documents. */
export function openLoans(
  client: Database.Database,
  db: BetterSQLite3Database,
  take: TakeSubmission,
  group: GroupCommit,
): LoanStore {
  const rows = prepareLoanStatements(db);

  const submit = (
    application: NewLoanApplication,
    documents: readonly LoanDocument[],
    terms: SubmissionTerms,
  ) => {
    const { email, createdAt: at, investmentAmount } = application;
    const addRow = (referenceNumber: string) => {
      rows.add.run({ ...application, referenceNumber });
      for (const document of documents) rows.addDocument.run({ ...document, referenceNumber, at });
    };
    const audited = { investmentAmount, documents: documents.length };
    return take({ kind: 'loan-application', email, at, audited, addRow }, terms);
  };

  return {
    submit: (application, documents, terms) => group.run(() => submit(application, documents, terms)),
    byReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => rows.byReference.get({ referenceNumber }) ?? null),
    list: ({ limit, before }) =>
      inStore(client, APP_FILE, () =>
        rows.list.all({ limit: Math.max(0, limit), before: before ?? Number.MAX_SAFE_INTEGER }),
      ),
    documentsOf: (referenceNumber) =>
      inStore(client, APP_FILE, () => rows.documentsOf.all({ referenceNumber })),
    readDocument: (id) => inStore(client, APP_FILE, () => rows.document.get({ id }) ?? null),
    masterKeys: () => inStore(client, APP_FILE, () => rows.masterKeys.all()),
    statusOf: (referenceNumber, email) =>
      inStore(client, APP_FILE, () => {
        const found = rows.byReference.get({ referenceNumber });
        if (found?.email.toLowerCase() !== email.toLowerCase()) return null;
        return { referenceNumber, kind: 'loan-application', events: rows.events.all({ referenceNumber }) };
      }),
  };
}
