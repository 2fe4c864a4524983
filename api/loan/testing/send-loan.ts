import { applyForLoan } from '../../../data/contract/submissions.ts';
import { blankPng, samplePdf } from '../../documents/testing/sample-documents.ts';

export const LOAN_FIELDS: Readonly<Record<string, string>> = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  referenceNumber: 'BD-20260101-654321',
  investmentAmount: '75000',
  investorType: 'Family Office',
  riskSuitability: 'Yes',
  conversionOption: 'Undecided',
  country: 'GB',
  comments: 'One\nTwo',
  website: '',
};

const DOCUMENTS: Readonly<Record<string, File>> = {
  passportCopy: new File([new Uint8Array(samplePdf())], 'passport.pdf', { type: 'application/pdf' }),
  utilityBill: new File([new Uint8Array(blankPng(40, 20))], 'bill.png', { type: 'image/png' }),
};

export interface LoanAnswer {
  readonly status: number;
  readonly body: {
    readonly success: boolean;
    readonly referenceNumber?: string;
    readonly error?: string;
    readonly code?: string;
  };
}

/** Sends a loan application as the form does. `changes` replaces parts of the form; null omits a part. */
export async function sendLoan(
  port: number,
  changes: Readonly<Record<string, string | File | null>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<LoanAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...LOAN_FIELDS, ...DOCUMENTS, ...changes })) {
    if (value !== null) form.append(name, value);
  }
  const url = `http://127.0.0.1:${port}${applyForLoan.path}`;
  const response = await fetch(url, { method: 'POST', body: form, headers });
  const body: LoanAnswer['body'] = JSON.parse(await response.text());
  return { status: response.status, body };
}
