// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminRecord } from '../../data/contract/admin-record.ts';
import { applicationStatus, confirmMailbox } from '../../data/contract/submissions.ts';
import { askAs, CONFIRMED_WARNINGS, sampleAuditRecord, signedInAdmin } from '../admin/testing/team.ts';
import { composeMail } from '../delivery/mail/mail-sender.ts';
import { ORGANIZATION } from '../delivery/testing/organization.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { storedRows } from '../testing/test-files.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../testing/test-portal.ts';
import { confirmationTokens } from './mailbox-confirmation.ts';
import { LOAN_FIELDS, sendLoan } from './testing/send-loan.ts';

const HOUR_MS = 3_600_000;
const DEADLINE = TEST_START + 48 * HOUR_MS;

let portal: TestPortal;
let reference: string;
beforeEach(async () => {
  portal = await startTestPortal();
  reference = (await sendLoan(portal.port)).body.referenceNumber ?? '';
});
afterEach(() => portal.close());

async function composeConfirmationMail(): Promise<string> {
  const composed = await composeMail(
    { event: 'loan-application.received', audience: 'applicant', referenceNumber: reference },
    {
      submissions: portal.store.submissions,
      origin: 'https://portal.example.com',
      teamOrigin: 'https://portal.example.com',
      decimals: 6,
      confirmationToken: confirmationTokens(TEST_MASTER_KEY),
      organization: ORGANIZATION,
    },
  );
  return composed?.text ?? '';
}

async function readTokenInMail(): Promise<string> {
  const [, token = ''] =
    /https:\/\/portal\.example\.com\/confirm-mailbox#token=([\w-]+)\]?/.exec(
      await composeConfirmationMail(),
    ) ?? [];
  return token;
}

async function confirm(token: unknown) {
  const { status, body } = await sendForm(portal.port, confirmMailbox.path, { token });
  const { code, isFirst, referenceNumber } = JSON.parse(body);
  return status === 200 ? { isFirst, referenceNumber } : `${status} ${code}`;
}

/** Does what the scheduled deletion does at this time. @returns the number of deleted documents */
async function deleteUnconfirmedAt(now: number): Promise<number> {
  const { retention } = portal.store;
  let documentCount = 0;
  for (const due of await retention.unconfirmedApplicationsDue(now))
    documentCount += await retention.deleteUnconfirmed(due, now);
  return documentCount;
}

const countStoredDocuments = () => storedRows(portal.folder).get('loan_documents')?.length ?? 0;
const readActions = async () =>
  (await portal.store.auditTrail(20)).map(({ action, actor }) => `${action} by ${actor}`);

async function signInAdmins(at = TEST_START) {
  const [grace, alan] = await Promise.all(
    ['grace', 'alan'].map((username) => signedInAdmin(portal.store, { username, role: 'reviewer', at })),
  );
  return [grace?.token ?? '', alan?.token ?? ''] as const;
}

async function readLoanAs(token: string) {
  const { body } = await askAs(portal, token, `${adminRecord.path}?reference=${reference}`);
  const fullRecord = adminRecord.response.parse(JSON.parse(body));
  if (fullRecord.kind !== 'loan-application') throw new Error(fullRecord.kind);
  return fullRecord;
}

async function vote(token: string, changedAt: string) {
  const voteRequest = {
    referenceNumber: reference,
    changedAt,
    vote: 'approve',
    reason: null,
    despite: CONFIRMED_WARNINGS,
  };
  const { status, body } = await askAs(portal, token, '/api/admin/loan-applications/vote', voteRequest);
  return status === 200 ? JSON.parse(body).outcome : `${status} ${JSON.parse(body).code}`;
}

describe('the documents of a loan application with an unconfirmed mailbox', () => {
  it('are deleted after 48 hours and not before, so that a flood of documents does not accumulate (ASVS 5.2.4)', async () => {
    expect([await deleteUnconfirmedAt(DEADLINE - 1), countStoredDocuments()]).toEqual([0, 2]);
    expect([await deleteUnconfirmedAt(DEADLINE), countStoredDocuments()]).toEqual([2, 0]);
    expect(await deleteUnconfirmedAt(DEADLINE + HOUR_MS)).toBe(0);
    expect(await readActions()).toEqual(
      expect.arrayContaining([
        'loan-document.deleted by system',
        'loan-application.documents-deleted by system',
      ]),
    );
  });

  it('leave behind a closed record that the applicant and the team see but nobody can approve', async () => {
    const [grace] = await signInAdmins();
    const recordBefore = (await readLoanAs(grace)).record;
    expect([recordBefore.confirmBy, recordBefore.mailboxConfirmedAt]).toEqual([
      new Date(DEADLINE).toISOString(),
      null,
    ]);
    await deleteUnconfirmedAt(DEADLINE);
    // An admin votes on a page from before the deletion, then again after a reload.
    expect(await vote(grace, recordBefore.changedAt)).toBe('409 record-changed');
    const { record, timeline } = await readLoanAs(grace);
    expect([record.status, record.documents]).toEqual(['documents-deleted', []]);
    expect(timeline.map(({ status }) => status)).toEqual(['received', 'documents-deleted']);
    expect(await vote(grace, record.changedAt)).toBe('409 record-closed');
    const email = LOAN_FIELDS.email;
    const statusAnswer = await sendForm(portal.port, applicationStatus.path, {
      referenceNumber: reference,
      email,
    });
    expect(applicationStatus.response.parse(JSON.parse(statusAnswer.body))).toMatchObject({
      kind: 'loan-application',
      status: 'documents-deleted',
    });
  });

  it('are kept if the team decides before the deadline', async () => {
    const linkToken = await readTokenInMail();
    for (const token of await signInAdmins()) await vote(token, (await readLoanAs(token)).record.changedAt);
    expect([await deleteUnconfirmedAt(DEADLINE), countStoredDocuments()]).toEqual([0, 2]);
    expect(await readTokenInMail()).toBe('');
    await portal.pollAt(DEADLINE);
    expect(await confirm(linkToken)).toEqual({ isFirst: true, referenceNumber: reference });
  });

  it('are not kept if the mailbox is confirmed after the deadline, even if that is before the deletion', async () => {
    const token = await readTokenInMail();
    await portal.pollAt(DEADLINE);
    expect(await confirm(token)).toBe('410 confirmation-expired');
    await deleteUnconfirmedAt(DEADLINE);
    expect(await confirm(token)).toBe('410 confirmation-expired');
    expect(await readTokenInMail()).toBe('');
    expect(await composeConfirmationMail()).toContain('/convertible-loan#apply');
    expect((await sendLoan(portal.port)).status).toBe(200);
  });
});

describe('the link in the email about a loan application', () => {
  it('confirms the mailbox once, so that the documents are kept', async () => {
    const token = await readTokenInMail();
    await portal.pollAt(DEADLINE - 1);
    expect(await confirm(token)).toEqual({ isFirst: true, referenceNumber: reference });
    expect(await confirm(token)).toEqual({ isFirst: false, referenceNumber: reference });
    expect(await deleteUnconfirmedAt(DEADLINE + 30 * 24 * HOUR_MS)).toBe(0);
    const confirmations = (await readActions()).filter((action) => action.includes('mailbox-confirmed'));
    expect(confirmations).toEqual(['loan-application.mailbox-confirmed by visitor']);
    const [grace] = await signInAdmins(DEADLINE - 1);
    const { record } = await readLoanAs(grace);
    expect([record.confirmBy, record.mailboxConfirmedAt]).toEqual([
      null,
      new Date(DEADLINE - 1).toISOString(),
    ]);
    expect(await readTokenInMail()).toBe('');
  });

  it('either confirms the mailbox or is too late, if it is used while the documents are being deleted', async () => {
    const token = await readTokenInMail();
    const { submissions } = portal.store;
    await portal.pollAt(DEADLINE - 1);
    const [answer] = await Promise.all([confirm(token), deleteUnconfirmedAt(DEADLINE)]);
    const status = (await submissions.find('loan-application', reference))?.status;
    expect([typeof answer === 'string', status, countStoredDocuments()]).toEqual(
      typeof answer === 'string' ? [true, 'documents-deleted', 0] : [false, 'received', 2],
    );
  });

  it('has the same token in each attempt to send the email; only a digest of the token is stored', async () => {
    const token = await readTokenInMail();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await readTokenInMail()).toBe(token);
    const storedText = [...storedRows(portal.folder).values()].flat().join();
    expect(storedText).toContain('"confirmationDigest":"');
    expect(storedText).not.toContain(token);
    expect(portal.logLines.join()).not.toContain(token);
  });

  it('has a different token for each application', async () => {
    const first = await readTokenInMail();
    reference = (await sendLoan(portal.port, { referenceNumber: null })).body.referenceNumber ?? '';
    expect(await readTokenInMail()).not.toBe(first);
    expect(await confirm(first)).toMatchObject({ isFirst: true });
    expect([await deleteUnconfirmedAt(DEADLINE), countStoredDocuments()]).toEqual([2, 2]);
  });

  it.each([
    ['a token that was not issued', 'A'.repeat(43), '404 unknown-confirmation'],
    ['something shorter', 'A'.repeat(42), '400 invalid-body'],
    ['a list', ['A'.repeat(43)], '400 invalid-body'],
    ['nothing', undefined, '400 invalid-body'],
  ])('is rejected with %s instead of its token', async (_case, token, answer) => {
    expect(await confirm(token)).toBe(answer);
  });

  it('is erased with the application', async () => {
    const token = await readTokenInMail();
    await portal.store.erasures.erase(
      { email: LOAN_FIELDS.email ?? '', walletAddress: null },
      TEST_START,
      () => sampleAuditRecord('person.erased', TEST_START),
    );
    expect(await confirm(token)).toBe('404 unknown-confirmation');
    expect([...storedRows(portal.folder).values()].flat().join()).not.toContain('"confirmationDigest":"');
  });
});

it('a mailbox that has reached its limit of emails gets no link, so its documents are deleted', async () => {
  const references = [reference];
  for (let sent = 1; sent <= 5; sent += 1) {
    references.push((await sendLoan(portal.port, { referenceNumber: null })).body.referenceNumber ?? '');
  }
  const wasMailed = await Promise.all(
    references.map(async (one) =>
      (await portal.store.deliveries.deliveriesOf(one)).some(({ audience }) => audience === 'applicant'),
    ),
  );
  expect(wasMailed).toEqual([true, true, true, true, true, false]);
  expect(await deleteUnconfirmedAt(DEADLINE)).toBe(12);
});
