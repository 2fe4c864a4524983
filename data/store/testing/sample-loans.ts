import { toStoredFields } from '../../model/forms/field.ts';
import { LOAN_FORM } from '../../model/forms/loan-form.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { AppStore } from '../ports.ts';
import type { LoanApplication, LoanDocument, LoanDocumentFacts } from '../submission-port.ts';
import { acceptedReference, SUBMITTED_AT, sampleOptions } from './sample-submissions.ts';

type SampleLoan = Omit<
  LoanApplication,
  'referenceNumber' | 'status' | 'changedAt' | 'refusalReason' | 'decidedAt' | 'mailboxConfirmedAt'
>;

export function sampleLoan(changes: Partial<SampleLoan> = {}): SampleLoan {
  return {
    ...toStoredFields(LOAN_FORM.fields, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      investorType: 'Family Office',
      riskSuitability: 'Yes',
      conversionOption: 'Undecided',
      country: 'GB',
    }),
    investmentAmount: 75_000,
    id: crypto.randomUUID(),
    createdAt: SUBMITTED_AT,
    confirmationDigest: null,
    confirmBy: null,
    ...changes,
  };
}

/** The store does not check that the bytes are encrypted. */
export function sampleDocuments(): readonly [passport: LoanDocument, bill: LoanDocument] {
  const common = {
    mediaType: 'application/pdf',
    byteLength: 4,
    contentHash: '0'.repeat(64),
    masterKeyId: 'a'.repeat(16),
    wrappedKey: Buffer.from([1, 0, 255]),
  };
  const [passportId, billId] = [crypto.randomUUID(), crypto.randomUUID()];
  return [
    { ...common, id: passportId, kind: 'passport-copy', fileName: 'p.pdf', content: Buffer.from([0, 1]) },
    { ...common, id: billId, kind: 'utility-bill', fileName: 'u.pdf', content: Buffer.from([2, 3]) },
  ];
}

/** @returns the reference number */
export async function submitLoan(
  { submissions }: Pick<AppStore, 'submissions'>,
  changes: Partial<SampleLoan> = {},
  documents: readonly LoanDocument[] = sampleDocuments(),
): Promise<string> {
  const loan = sampleLoan(changes);
  return acceptedReference(await submissions.submit('loan-application', loan, sampleOptions(), documents));
}

/** The documents of an application, passport copy first. */
export async function documentsOf(
  { records }: Pick<AppStore, 'records'>,
  referenceNumber: string,
): Promise<readonly LoanDocumentFacts[]> {
  const record = await records.record(referenceNumber);
  return record?.kind === 'loan-application' ? record.documents : [];
}

export function operatorAudit(action: string): AuditRecord {
  const actor = 'operator';
  return { id: crypto.randomUUID(), at: SUBMITTED_AT, actor, action, address: '::1', details: {} };
}

/** The usernames of the reviewers are their ids. */
export async function addReviewers(
  { admins }: Pick<AppStore, 'admins'>,
  ...ids: readonly string[]
): Promise<void> {
  for (const id of ids) {
    const account = {
      id,
      username: id,
      email: null,
      passwordHash: '',
      createdAt: SUBMITTED_AT,
      addedBy: null,
    };
    await admins.add({ ...account, role: 'reviewer' }, operatorAudit('admin.added'));
  }
}
