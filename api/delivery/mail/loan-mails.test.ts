import { describe, expect, it } from 'vitest';
import type { LoanApplication } from '../../../data/store/loan-port.ts';
import { sampleLoan } from '../../../data/store/testing/sample-loans.ts';
import type { SubmissionReaders } from './draft.ts';
import { composeMail } from './mail-composer.ts';

const referenceNumber = 'BD-20260102-123456';

function mailOf(
  event: string,
  audience: 'applicant' | 'team',
  changes: Partial<LoanApplication> | null = {},
) {
  const nothing = async () => null;
  const application = changes && {
    ...sampleLoan({ comments: 'One\nTwo' }),
    referenceNumber,
    status: 'received' as const,
    refusalReason: null,
    decidedAt: null,
    changedAt: 0,
    ...changes,
  };
  const readers: SubmissionReaders = {
    applications: { applicationByReference: nothing, requestByReference: nothing, statusOf: nothing },
    contacts: { messageByReference: nothing },
    loans: { byReference: async () => application },
  };
  const terms = { origin: 'https://portal.example.com', decimals: 6 };
  return composeMail({ event, audience, referenceNumber }, readers, terms);
}

describe('the mails of an application for the loan note', () => {
  it('tell the applicant the reference and when it is confirmed, and none of the words of the form', async () => {
    const mail = await mailOf('loan-application.received', 'applicant', {
      name: 'Buy tokens at evil.example',
    });
    expect(mail).toMatchObject({
      subject: `We have your loan note application ${referenceNumber}`,
      replyTo: null,
    });
    for (const words of [
      referenceNumber,
      'within 48 hours',
      'https://portal.example.com/application-status',
    ]) {
      expect(mail?.text).toContain(words);
    }
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/evil|75,000|One/);
  });

  it('bring the team every field but the documents, as words, and the answer goes to the applicant', async () => {
    const name = '<script>alert(1)</script>';
    const mail = await mailOf('loan-application.received', 'team', { name });
    expect(mail?.replyTo).toEqual({ name, address: 'ada@example.com' });
    for (const line of [
      `Name: ${name}`,
      'Email: ada@example.com',
      'Country: United Kingdom',
      'Investment amount: $75,000',
      'Investor type: Family Office',
      'Aware of the risk: Yes',
      'Repayment preference: Undecided',
      'Comments: One\n    Two',
    ]) {
      expect(mail?.text).toContain(line);
    }
    expect(mail?.html).not.toContain('<script');
  });

  it('are none where nothing is stored, or the event is not told by mail', async () => {
    expect(await mailOf('loan-application.received', 'applicant', null)).toBeNull();
    expect(await mailOf('loan-application.withdrawn', 'applicant')).toBeNull();
  });
});
