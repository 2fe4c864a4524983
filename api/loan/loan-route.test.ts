import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDEMPOTENCY_HEADER } from '../../data/contract/applications.ts';
import { LOAN_WORDS } from '../../data/model/loan-application-rules.ts';
import { openDocument } from '../documents/sealed-document.ts';
import { samplePdf } from '../documents/testing/sample-documents.ts';
import { sendForm } from '../testing/send-form.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { LOAN_DOCUMENTS, LOAN_FIELDS, sendLoan } from './testing/send-loan.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startTestPortal({ submissionsPerMinute: 1_000 });
});
afterAll(() => portal.close());

/** Addresses of which none has sent anything. */
let people = 0;
function someone(): string {
  people += 1;
  return `ada${people}@example.com`;
}

const pdf = (bytes: Buffer | string, name = 'x.pdf') => new File([new Uint8Array(Buffer.from(bytes))], name);

describe('an application for the loan note', () => {
  it('is kept with what it says, and its documents under the key alone', async () => {
    const answer = await sendLoan(portal.port, { email: 'ada@example.com' });
    expect(answer).toEqual({ status: 200, body: { success: true, referenceNumber: 'BD-20260101-654321' } });
    const { loans } = portal.store;
    expect(await loans.byReference('BD-20260101-654321')).toMatchObject({
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
    const [passport, bill] = await loans.documentsOf('BD-20260101-654321');
    expect([passport, bill]).toMatchObject([
      { kind: 'passport-copy', fileName: 'passport.pdf', mediaType: 'application/pdf' },
      { kind: 'utility-bill', fileName: 'bill.png', mediaType: 'image/png' },
    ]);
    const kept = await loans.readDocument(passport?.id ?? '');
    if (!kept) throw new Error('The document is not kept.');
    expect(openDocument(TEST_MASTER_KEY, kept.id, kept)).toEqual(samplePdf());
    expect(kept.content.includes('%PDF')).toBe(false);
    const [audited] = await portal.store.auditTrail(1);
    expect(audited).toMatchObject({
      action: 'loan-application.received',
      details: { investmentAmount: 75_000 },
    });
    expect(JSON.stringify([audited, ...portal.logged])).not.toMatch(/Ada|ada@|passport\.pdf/);
  });

  it('keeps the number that the sender would like, unless it is taken, malformed or of another day', async () => {
    const numberFor = async (referenceNumber: string | null) =>
      (await sendLoan(portal.port, { email: someone(), referenceNumber })).body.referenceNumber;
    expect(await numberFor('BD-20260101-222222')).toBe('BD-20260101-222222');
    for (const other of [
      'BD-20260101-222222',
      'BD-20260101-012345',
      'BD-20200101-222222',
      `x'; drop--`,
      '',
      null,
    ]) {
      const issued = await numberFor(other);
      expect(issued).toMatch(/^BD-20260101-[1-9]\d{5}$/);
      expect(issued).not.toBe(other);
    }
  });

  it('sent again under its key is the same one, whatever number it would like by then', async () => {
    const email = someone();
    const key = { [IDEMPOTENCY_HEADER]: 'loan-key-1' };
    const first = await sendLoan(portal.port, { email, referenceNumber: 'BD-20260101-333333' }, key);
    const again = await sendLoan(portal.port, { email, referenceNumber: 'BD-20260101-444444' }, key);
    expect(again).toEqual(first);
    const other = await sendLoan(
      portal.port,
      { email, passportCopy: pdf(samplePdf({ inside: '%other\n' })) },
      key,
    );
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
  });

  it('shows where it stands to who knows its number and mail address', async () => {
    const email = someone();
    const { referenceNumber } = (await sendLoan(portal.port, { email, referenceNumber: null })).body;
    const path = '/api/card/application-status';
    const { body } = await sendForm(portal.port, path, { referenceNumber, email });
    expect(JSON.parse(body)).toMatchObject({ kind: 'loan-application', status: 'received' });
    const { status } = await sendForm(portal.port, path, { referenceNumber, email: 'bo@example.com' });
    expect(status).toBe(404);
  });
});

describe('an application that is refused', () => {
  const refused = async (changes: Readonly<Record<string, string | File | null>>) => {
    const before = storedRows(portal.folder);
    const { status, body } = await sendLoan(portal.port, {
      email: someone(),
      referenceNumber: null,
      ...changes,
    });
    expect(storedRows(portal.folder)).toEqual(before);
    return { status, code: body.code, error: body.error };
  };
  const invalid = (error: string) => ({ status: 400, code: 'invalid-body', error });

  it.each([
    ['name', LOAN_WORDS.name],
    ['email', LOAN_WORDS.email],
    ['investmentAmount', LOAN_WORDS.investmentAmount],
    ['investorType', LOAN_WORDS.investorType],
    ['riskSuitability', LOAN_WORDS.riskSuitability],
    ['conversionOption', LOAN_WORDS.conversionOption],
    ['country', LOAN_WORDS.country],
    ['passportCopy', LOAN_WORDS.passportCopy],
    ['utilityBill', LOAN_WORDS.utilityBill],
  ])('without %s is told what is missing', async (field, words) => {
    expect(await refused({ [field]: null })).toEqual(invalid(words));
    const empty = field === 'passportCopy' || field === 'utilityBill' ? pdf('', '') : '';
    expect(await refused({ [field]: empty })).toEqual(invalid(words));
  });

  it.each([
    ['investmentAmount', '60000', LOAN_WORDS.investmentAmount],
    ['country', 'XX', LOAN_WORDS.country],
    ['investorType', 'Robot', LOAN_WORDS.investorType],
    ['comments', 'x'.repeat(2_001), 'Shorten the comments: 2000 characters are read.'],
    ['email', 'ada', LOAN_WORDS.email],
  ])('with a %s that is none is told so', async (field, value, words) => {
    expect(await refused({ [field]: value })).toEqual(invalid(words));
  });

  it('tells all faults of its fields at once', async () => {
    const { error } = await refused({ name: '', country: '', riskSuitability: null });
    expect(error).toBe(`${LOAN_WORDS.name} ${LOAN_WORDS.riskSuitability} ${LOAN_WORDS.country}`);
  });

  it.each([
    ['a program fills in', { website: 'https://spam.example' }, 400, 'automated-form'],
    ['has a field that the form has not', { isAdmin: 'yes' }, 400, 'invalid-body'],
    ['has a file in the place of a field', { comments: pdf(samplePdf()) }, 400, 'malformed-upload'],
    ['has a field in the place of a file', { passportCopy: 'text' }, 400, 'invalid-body'],
    ['has a web page for a PDF', { passportCopy: pdf('<html><script>', 'p.pdf') }, 422, 'document-type'],
    [
      'has an encrypted PDF',
      { utilityBill: pdf(samplePdf({ trailer: '/Encrypt 4 0 R' })) },
      422,
      'document-encrypted',
    ],
  ])('that %s is refused, and nothing of it is kept', async (_what, changes, status, code) => {
    expect(await refused(changes)).toMatchObject({ status, code });
  });

  it('names the document that is at fault', async () => {
    expect((await refused({ utilityBill: pdf('junk') })).error).toMatch(
      /^The utility bill is no PDF, JPEG or PNG/,
    );
  });

  it('is told when a mail address has sent as many as it may', async () => {
    const email = someone();
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await sendLoan(portal.port, { email, referenceNumber: null })).status).toBe(200);
    }
    const { status, code, error } = await refused({ email });
    expect([status, code]).toEqual([429, 'too-many-from-address']);
    expect(error).toMatch(/^This email address was used for 5 submissions in the last 24 hours/);
  });

  it('is told when an address on the network has sent as many as it may', async () => {
    const strict = await startTestPortal({ submissionsPerMinute: 1 });
    await sendLoan(strict.port, {});
    const { status, body } = await sendLoan(strict.port, { email: 'bo@example.com' });
    expect([status, body.code]).toEqual([429, 'too-many-requests']);
    await strict.close();
  });

  it('from a page of another site is refused', async () => {
    const { status } = await sendLoan(portal.port, { email: someone() }, { Origin: 'https://evil.example' });
    expect(status).toBe(403);
  });
});

it('a hostile file name is kept as a harmless one', async () => {
  const passportCopy = new File([new Uint8Array(samplePdf())], '../../../etc/\u202epasswd.exe');
  const { body } = await sendLoan(portal.port, {
    ...LOAN_DOCUMENTS,
    email: someone(),
    referenceNumber: null,
    passportCopy,
  });
  const [kept] = await portal.store.loans.documentsOf(body.referenceNumber ?? '');
  expect(kept?.fileName).toBe('passwd.pdf');
});

it('SQL and HTML in the fields are kept to the letter', async () => {
  const text = `'); drop table loan_applications; -- <script>alert(1)</script>`;
  const { body } = await sendLoan(portal.port, {
    ...LOAN_FIELDS,
    email: someone(),
    name: text,
    comments: text,
  });
  expect(await portal.store.loans.byReference(body.referenceNumber ?? '')).toMatchObject({
    name: text,
    comments: text,
  });
});
