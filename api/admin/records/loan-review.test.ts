// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminRecord } from '../../../data/contract/admin-record.ts';
import { composeMail } from '../../delivery/mail/mail-sender.ts';
import { ORGANIZATION } from '../../delivery/testing/organization.ts';
import { samplePdf } from '../../documents/testing/sample-documents.ts';
import { confirmationTokens } from '../../loan/mailbox-confirmation.ts';
import { sendLoan } from '../../loan/testing/send-loan.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { startTestPortal, TEST_MASTER_KEY, type TestPortal } from '../../testing/test-portal.ts';
import {
  addAdmin,
  askAs,
  CONFIRMED_WARNINGS,
  openSession,
  PASSWORD,
  signedInAdmin,
} from '../testing/team.ts';

const MAIL_OPTIONS = {
  origin: 'https://portal.example.com',
  teamOrigin: 'https://portal.example.com',
  decimals: 6,
  confirmationToken: confirmationTokens(TEST_MASTER_KEY),
  organization: ORGANIZATION,
};

describe('the review of a loan application', () => {
  let portal: TestPortal;
  let tokens: Record<'grace' | 'alan', string>;
  let referenceNumber: string;
  beforeEach(async () => {
    portal = await startTestPortal();
    const tokenOf = async (username: string) =>
      (await signedInAdmin(portal.store, { username, role: 'reviewer', at: TEST_START })).token;
    tokens = { grace: await tokenOf('grace'), alan: await tokenOf('alan') };
    const { body } = await sendLoan(portal.port);
    referenceNumber = body.referenceNumber ?? '';
  });
  afterEach(() => portal.close());

  async function readLoan(token = tokens.grace) {
    const { body } = await askAs(portal, token, `/api/admin/record?reference=${referenceNumber}`);
    const fullRecord = adminRecord.response.parse(JSON.parse(body));
    if (fullRecord.kind !== 'loan-application') throw new Error(fullRecord.kind);
    return fullRecord;
  }
  async function vote(token: string, choice: 'approve' | 'refuse') {
    const { changedAt } = (await readLoan()).record;
    const reason = choice === 'refuse' ? 'Not eligible.' : null;
    const body = { referenceNumber, changedAt, vote: choice, reason, despite: CONFIRMED_WARNINGS };
    return JSON.parse((await askAs(portal, token, '/api/admin/loan-applications/vote', body)).body);
  }
  async function mailAbout(outcome: string) {
    const event = `loan-application.${outcome}`;
    const delivery = { event, audience: 'applicant', referenceNumber } as const;
    return composeMail(delivery, { submissions: portal.store.submissions, ...MAIL_OPTIONS });
  }

  it('ends with an email once two admins agree, and shows the votes until then', async () => {
    expect(await vote(tokens.grace, 'approve')).toMatchObject({ outcome: 'waiting', status: 'in-review' });
    expect((await readLoan(tokens.grace)).record.votes).toMatchObject([{ by: 'grace', isYours: true }]);
    expect((await readLoan(tokens.alan)).record.votes).toMatchObject([{ by: 'grace', isYours: false }]);
    expect(await vote(tokens.alan, 'approve')).toMatchObject({ outcome: 'decided', status: 'approved' });
    const approvalDeliveries = (await readLoan()).deliveries.filter(
      ({ event }) => event === 'loan-application.approved',
    );
    expect(approvalDeliveries).toMatchObject([
      { deliveryMethod: 'email', audience: 'applicant', state: 'waiting' },
    ]);
    expect(await mailAbout('approved')).toMatchObject({ subject: expect.stringContaining(referenceNumber) });
    const query = { referenceNumber, email: 'ada@example.com' };
    const status = await askAs(portal, null, '/api/card/application-status', query);
    expect(JSON.parse(status.body)).toMatchObject({ status: 'approved' });
  });

  it('accepts no vote from an account that is too new, and shows who added a voter’s account', async () => {
    await portal.close();
    portal = await startTestPortal({ minAccountAgeToVoteMs: 1_000 });
    const ada = await addAdmin(portal.store, { username: 'ada', at: TEST_START - 1_000 });
    const team = { role: 'reviewer', addedBy: ada } as const;
    const old = await signedInAdmin(portal.store, { ...team, username: 'grace', at: TEST_START - 1_000 });
    const fresh = await signedInAdmin(portal.store, { ...team, username: 'alan', at: TEST_START - 999 });
    tokens = { grace: old.token, alan: fresh.token };
    ({ referenceNumber = '' } = (await sendLoan(portal.port)).body);
    expect(await vote(tokens.alan, 'approve')).toMatchObject({ code: 'account-too-new' });
    expect(await vote(tokens.grace, 'approve')).toMatchObject({ outcome: 'waiting' });
    expect((await readLoan()).record.votes).toMatchObject([{ by: 'grace', addedBy: 'ada' }]);
  });

  it('accepts no vote from an account whose password was recently set through a link', async () => {
    await portal.close();
    let now = TEST_START;
    portal = await startTestPortal({ now: () => now, minAccountAgeToVoteMs: 1_000 });
    const { token: owner } = await signedInAdmin(portal.store, { username: 'ada', at: now - 1_000 });
    const reviewer = { role: 'reviewer', at: now - 1_000 } as const;
    const { id } = await signedInAdmin(portal.store, { ...reviewer, username: 'grace' });
    tokens.alan = (await signedInAdmin(portal.store, { ...reviewer, username: 'alan' })).token;
    const reset = { id, ownPassword: PASSWORD };
    const offered = await askAs(portal, owner, '/api/admin/team/reset-password', reset);
    const token = String(JSON.parse(offered.body).link).replace(/^.*#token=/, '');
    const used = await askAs(portal, null, '/api/admin/link/use', { token, password: PASSWORD });
    expect(used.status).toBe(200);
    tokens.grace = (await openSession(portal.store, id, now)).token;
    ({ referenceNumber = '' } = (await sendLoan(portal.port)).body);
    now += 999;
    expect(await vote(tokens.grace, 'approve')).toMatchObject({ code: 'account-too-new' });
    expect(await vote(tokens.alan, 'approve')).toMatchObject({ outcome: 'waiting' });
    now += 1;
    expect(await vote(tokens.grace, 'approve')).toMatchObject({ outcome: 'decided' });
  });

  it('sends the applicant the reason for a refusal', async () => {
    await vote(tokens.grace, 'refuse');
    await vote(tokens.alan, 'refuse');
    expect((await mailAbout('refused'))?.text).toContain('Not eligible.');
  });

  describe('shows a document', () => {
    const documentPath = async (extraQuery = '') =>
      `/api/admin/loan-documents?id=${(await readLoan()).record.documents[0]?.id}${extraQuery}`;

    it('unchanged, sandboxed and uncached, as a download on request', async () => {
      const path = await documentPath();
      const response = await fetch(`http://127.0.0.1:${portal.port}${path}`, {
        headers: { Authorization: `Bearer ${tokens.grace}` },
      });
      expect(samplePdf().equals(new Uint8Array(await response.arrayBuffer()))).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': "inline; filename*=UTF-8''passport.pdf",
        'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      const { headers } = await askAs(portal, tokens.grace, await documentPath('&as=file'));
      expect(headers['content-disposition']).toMatch(/^attachment; /);
    });

    it('and records each view', async () => {
      const path = await documentPath();
      const views = async () =>
        (await portal.store.auditTrail(100)).filter(({ action }) => action === 'loan-document.viewed');
      expect(await views()).toEqual([]);
      await askAs(portal, tokens.grace, path);
      expect(await views()).toMatchObject([
        { details: { referenceNumber, kind: 'passport-copy' }, address: '127.0.0.1' },
      ]);
      expect(JSON.stringify(await views())).not.toContain('passport.pdf');
    });

    it('only if the view can be recorded', async () => {
      const path = await documentPath();
      const { store } = portal;
      Object.assign(store, { recordAudit: () => Promise.reject(new Error('The disk is full.')) });
      const { status, body } = await askAs(portal, tokens.grace, path);
      expect(status).toBe(500);
      expect(body).not.toContain('%PDF');
    });

    it('only if it exists', async () => {
      const none = '/api/admin/loan-documents?id=00000000-0000-4000-8000-000000000000';
      expect((await askAs(portal, tokens.grace, none)).status).toBe(404);
      expect((await askAs(portal, tokens.grace, '/api/admin/loan-documents?id=1')).status).toBe(400);
    });
  });
});
