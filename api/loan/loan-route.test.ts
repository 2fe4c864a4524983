// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import type { FormField } from '../../data/model/forms/field.ts';
import { LOAN_FORM } from '../../data/model/forms/loan-form.ts';
import { documentsOf } from '../../data/store/testing/sample-loans.ts';
import { openDocument } from '../documents/sealed-document.ts';
import { samplePdf } from '../documents/testing/sample-documents.ts';
import { storedRows } from '../testing/test-files.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { sendLoan } from './testing/send-loan.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startTestPortal();
});
afterAll(() => portal.close());

/** A new email address each time, because submissions per address are limited. */
let addressCount = 0;
function newAddress(): string {
  addressCount += 1;
  return `ada${addressCount}@example.com`;
}

const newPdf = (bytes: Buffer | string, name = 'x.pdf') =>
  new File([new Uint8Array(Buffer.from(bytes))], name);

describe('an application for the loan note', () => {
  it('is stored with its fields and its encrypted documents', async () => {
    const answer = await sendLoan(portal.port, { email: 'ada@example.com' });
    expect(answer).toEqual({ status: 200, body: { success: true, referenceNumber: 'BD-20260101-654321' } });
    const { submissions } = portal.store;
    expect(await submissions.find('loan-application', 'BD-20260101-654321')).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      investmentAmount: 75_000,
      investorType: 'Family Office',
      riskSuitability: 'Yes',
      conversionOption: 'Undecided',
      country: 'GB',
      comments: 'One\nTwo',
      status: 'received',
    });
    const [passport, bill] = await documentsOf(portal.store, 'BD-20260101-654321');
    expect([passport, bill]).toMatchObject([
      { kind: 'passport-copy', fileName: 'passport.pdf', mediaType: 'application/pdf' },
      { kind: 'utility-bill', fileName: 'bill.png', mediaType: 'image/png' },
    ]);
    const document = await submissions.readDocument(passport?.id ?? '');
    if (!document) throw new Error('The document is not stored.');
    expect(openDocument(TEST_MASTER_KEY, document.id, document)).toEqual(samplePdf());
    expect(document.content.includes('%PDF')).toBe(false);
    const [auditRecord] = await portal.store.auditTrail(1);
    expect(auditRecord).toMatchObject({
      action: 'loan-application.received',
      details: { investmentAmount: 75_000 },
    });
    expect(JSON.stringify([auditRecord, ...portal.logLines])).not.toMatch(/Ada|ada@|passport\.pdf/);
  });

  it('has the proposed reference number unless it is taken, malformed or from another day', async () => {
    const numberFor = async (referenceNumber: string | null) =>
      (await sendLoan(portal.port, { email: newAddress(), referenceNumber })).body.referenceNumber;
    expect(await numberFor('BD-20260101-222222')).toBe('BD-20260101-222222');
    const unusable = [
      'BD-20260101-222222',
      'BD-20260101-012345',
      'BD-20200101-222222',
      `x'; drop--`,
      '',
      null,
    ];
    for (const other of unusable) {
      const issued = await numberFor(other);
      expect(issued).toMatch(/^BD-20260101-[1-9]\d{5}$/);
      expect(issued).not.toBe(other);
    }
  });

  it('is recognized in a retry with its key, even if the retry proposes another number', async () => {
    const email = newAddress();
    const key = { [IDEMPOTENCY_HEADER]: 'loan-key-1' };
    const first = await sendLoan(portal.port, { email, referenceNumber: 'BD-20260101-333333' }, key);
    const retryAnswer = await sendLoan(portal.port, { email, referenceNumber: 'BD-20260101-444444' }, key);
    expect(retryAnswer).toEqual(first);
    const passportCopy = newPdf(samplePdf({ inside: '%other\n' }));
    const other = await sendLoan(portal.port, { email, passportCopy }, key);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
  });
});

describe('an invalid application', () => {
  const refusalOf = async (changes: Readonly<Record<string, string | File | null>>) => {
    const before = storedRows(portal.folder);
    const freshFields = { email: newAddress(), referenceNumber: null };
    const { status, body } = await sendLoan(portal.port, { ...freshFields, ...changes });
    expect(storedRows(portal.folder)).toEqual(before);
    return { status, code: body.code, error: body.error };
  };
  const missingMessages = Object.fromEntries(
    Object.entries<FormField>(LOAN_FORM.fields).map(([name, field]) => [name, String(field.missing)]),
  );
  const invalidBody = (error: string | undefined) => ({ status: 400, code: 'invalid-body', error });

  it.each([
    ['name', missingMessages.name],
    ['email', 'Please enter a valid email address'],
    ['investmentAmount', missingMessages.investmentAmount],
    ['investorType', missingMessages.investorType],
    ['riskSuitability', missingMessages.riskSuitability],
    ['conversionOption', missingMessages.conversionOption],
    ['country', missingMessages.country],
    ['passportCopy', `${missingMessages.passportCopy}.`],
    ['utilityBill', `${missingMessages.utilityBill}.`],
  ])('without %s is rejected with the message for that field', async (field, message) => {
    expect(await refusalOf({ [field]: null })).toEqual(invalidBody(message));
  });

  it('with an empty field or document is rejected as if that field or document were missing', async () => {
    expect(await refusalOf({ name: '' })).toEqual(invalidBody(missingMessages.name));
    const passportCopy = newPdf('', '');
    expect(await refusalOf({ passportCopy })).toEqual(invalidBody(`${missingMessages.passportCopy}.`));
  });

  it.each([
    ['investmentAmount', '60000', missingMessages.investmentAmount],
    ['country', 'XX', missingMessages.country],
  ])('with an invalid %s is rejected with the message for that field', async (field, value, message) => {
    expect(await refusalOf({ [field]: value })).toEqual(invalidBody(message));
  });

  const encryptedPdf = newPdf(samplePdf({ trailer: '/Encrypt 4 0 R' }));
  it.each([
    ['a program filled in', { website: 'https://spam.example' }, 400, 'automated-form'],
    ['has an unknown field', { isAdmin: 'yes' }, 400, 'invalid-body'],
    ['has a file in a text field', { comments: newPdf(samplePdf()) }, 400, 'malformed-upload'],
    ['has text in a file field', { passportCopy: 'text' }, 400, 'invalid-body'],
    ['has a web page as a PDF', { passportCopy: newPdf('<html><script>', 'p.pdf') }, 422, 'document-type'],
    ['has an encrypted PDF', { utilityBill: encryptedPdf }, 422, 'document-encrypted'],
  ])('that %s is rejected, and nothing is stored', async (_case, changes, status, code) => {
    expect(await refusalOf(changes)).toMatchObject({ status, code });
  });

  it('is rejected with an error that names the invalid document', async () => {
    expect((await refusalOf({ utilityBill: newPdf('junk') })).error).toMatch(/utility bill/);
  });
});
