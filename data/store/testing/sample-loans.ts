import type { LoanDocument, NewLoanApplication } from '../loan-port.ts';
import { SUBMITTED_AT } from './sample-submissions.ts';

export function sampleLoan(changes: Partial<NewLoanApplication> = {}): NewLoanApplication {
  return {
    id: crypto.randomUUID(),
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    investmentAmount: 75_000,
    investorType: 'Family Office',
    riskSuitability: 'Yes',
    conversionOption: 'Undecided',
    country: 'GB',
    comments: null,
    createdAt: SUBMITTED_AT,
    ...changes,
  };
}

/** Both documents of an application. The store takes any bytes for encrypted ones. */
export function sampleDocuments(): readonly [passport: LoanDocument, bill: LoanDocument] {
  const common = {
    mediaType: 'application/pdf',
    byteLength: 4,
    contentHash: '0'.repeat(64),
    masterKey: 'a'.repeat(16),
    wrappedKey: Buffer.from([1, 0, 255]),
  };
  return [
    {
      ...common,
      id: crypto.randomUUID(),
      kind: 'passport-copy',
      fileName: 'p.pdf',
      content: Buffer.from([0, 1]),
    },
    {
      ...common,
      id: crypto.randomUUID(),
      kind: 'utility-bill',
      fileName: 'u.pdf',
      content: Buffer.from([2, 3]),
    },
  ];
}
