import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type {
  ApplicationStore,
  CardApplication,
  NewCardApplication,
  NewVerificationRequest,
  SubmissionTerms,
} from '../application-port.ts';
import type { cardApplications } from './application-schema.ts';
import { prepareApplicationStatements } from './application-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';
import type { TakeSubmission } from './take-submission.ts';

function applicationOf(row: typeof cardApplications.$inferSelect): CardApplication {
  const { checkedAmount: amount, checkedTier: tier, checkedAt: at, ...application } = row;
  const isChecked = amount !== null && tier !== null && at !== null;
  return { ...application, checked: isChecked ? { amount, tier, at } : null };
}

/** The part of `app.db` that holds applications and requests. */
export function openApplications(
  client: Database.Database,
  db: BetterSQLite3Database,
  submit: TakeSubmission,
  group: GroupCommit,
): ApplicationStore {
  const rows = prepareApplicationStatements(db);

  const submitApplication = (application: NewCardApplication, terms: SubmissionTerms) => {
    const { checked, isOwnershipProven, shape, email, createdAt: at } = application;
    const addRow = (referenceNumber: string) => {
      rows.addApplication.run({
        ...application,
        referenceNumber,
        checkedAmount: checked?.amount.toString() ?? null,
        checkedTier: checked?.tier ?? null,
        checkedAt: checked?.at ?? null,
      });
    };
    const audited = { shape, isOwnershipProven, checkedTier: checked?.tier ?? null };
    return submit({ kind: 'card-application', email, at, audited, addRow }, terms);
  };

  const submitRequest = (request: NewVerificationRequest, terms: SubmissionTerms) => {
    const { isOwnershipProven, email, createdAt: at } = request;
    const addRow = (referenceNumber: string) => {
      rows.addRequest.run({ ...request, referenceNumber });
    };
    const audited = { isOwnershipProven };
    return submit({ kind: 'verification-request', email, at, audited, addRow }, terms);
  };

  return {
    submitApplication: (application, terms) => group.run(() => submitApplication(application, terms)),
    submitVerificationRequest: (request, terms) => group.run(() => submitRequest(request, terms)),
    applicationByReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => {
        const row = rows.application.get({ referenceNumber });
        return row ? applicationOf(row) : null;
      }),
    requestByReference: (referenceNumber) =>
      inStore(client, APP_FILE, () => rows.request.get({ referenceNumber }) ?? null),
    statusOf: (referenceNumber, email) =>
      inStore(client, APP_FILE, () => {
        const application = rows.application.get({ referenceNumber });
        const found = application ?? rows.request.get({ referenceNumber });
        if (found?.email.toLowerCase() !== email.toLowerCase()) return null;
        return {
          referenceNumber,
          kind: application ? 'card-application' : 'verification-request',
          events: rows.events.all({ referenceNumber }),
        };
      }),
  };
}
