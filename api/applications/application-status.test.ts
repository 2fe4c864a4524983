import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  applicationStatus,
  requestVerification,
  submitApplicationV2,
} from '../../data/contract/submissions.ts';
import { walletSessionCookie } from '../../data/contract/wallet-session.ts';
import { UNDO_MS } from '../../data/model/undo.ts';
import { TEST_START } from '../testing/fake-index.ts';
import { sendForm } from '../testing/portal-client.ts';
import { startTestPortal, TEST_MASTER_KEY } from '../testing/test-portal.ts';
import { statusProofs } from './status-proof.ts';
import { V2_FORM_BODY, VERIFICATION_BODY } from './testing/sample-forms.ts';

let machineCount = 0;
/** A new IP address for each request, because the limit per address is low. */
const newAddressHeaders = () => {
  machineCount += 1;
  return { 'X-Forwarded-For': `10.3.0.${machineCount}` };
};

async function startAndSubmit(path: string, body: unknown) {
  const portal = await startTestPortal({ rateLimits: { 'status-checks': 3, 'status-checks-of-email': 20 } });
  onTestFinished(() => portal.close());
  const { referenceNumber } = JSON.parse((await sendForm(portal.port, path, body)).body);
  const readStatus = (reference: string, email: string) =>
    sendForm(portal.port, applicationStatus.path, { referenceNumber: reference, email });
  return { portal, referenceNumber, ask: readStatus };
}

describe('the status of a submission', () => {
  it.each([
    ['card-application', submitApplicationV2.path, V2_FORM_BODY],
    ['verification-request', requestVerification.path, VERIFICATION_BODY],
  ])('shows the timeline of a %s to anyone with its number and email address', async (kind, path, body) => {
    const { referenceNumber, ask } = await startAndSubmit(path, body);
    const answer = await ask(` ${referenceNumber.toLowerCase()}`, 'Ada@Example.com ');
    expect(applicationStatus.response.parse(JSON.parse(answer.body))).toEqual({
      success: true,
      referenceNumber,
      kind,
      status: 'received',
      timeline: [{ at: '2026-01-01T00:00:00.000Z', status: 'received', note: null }],
      proven: null,
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('shows the decision and the state of its email only to the proven mailbox', async () => {
    const { portal, referenceNumber } = await startAndSubmit(requestVerification.path, VERIFICATION_BODY);
    const email = 'ada@example.com';
    const proof = statusProofs(TEST_MASTER_KEY)(referenceNumber, email);
    const readProven = async (sentProof: string | undefined) => {
      const payload = { referenceNumber, email, ...(sentProof && { proof: sentProof }) };
      const { body } = await sendForm(portal.port, applicationStatus.path, payload, newAddressHeaders());
      return applicationStatus.response.parse(JSON.parse(body)).proven;
    };
    expect(await readProven(proof)).toEqual({
      by: 'mailbox',
      decision: null,
      mail: { state: 'waiting', reason: null },
    });
    const { changedAt = 0 } =
      (await portal.store.submissions.find('verification-request', referenceNumber)) ?? {};
    const actor = { adminId: 'ada', address: '::1', at: TEST_START + 1 };
    const decided = {
      referenceNumber,
      changedAt,
      decision: 'approved',
      tier: 'Raven',
      reason: null,
    } as const;
    await portal.store.records.decideRequest(decided, actor);
    const at = actor.at + UNDO_MS;
    const claim = { channel: 'mail', now: at, leasedUntil: TEST_START + 9e6, limit: 9 } as const;
    for (const leased of await portal.store.deliveries.claimDue(claim)) {
      const attempt = { at, providerId: null, maskedRecipient: 'a…', latencyMs: 1 };
      const refusal = { ...attempt, outcome: 'dead', code: '552', error: 'Mailbox full' } as const;
      await portal.store.deliveries.recordAttempt(leased, refusal, { state: 'dead' });
    }
    expect(await readProven(proof)).toEqual({
      by: 'mailbox',
      decision: { at: new Date(TEST_START + 1).toISOString(), reason: null, tier: 'Raven' },
      mail: { state: 'bounced', reason: 'mailbox-full' },
    });
    expect(await readProven(undefined)).toBeNull();
    expect(await readProven(statusProofs(TEST_MASTER_KEY)(referenceNumber, 'bo@example.com'))).toBeNull();
    await portal.store.bounces.correctAddress(
      { referenceNumber, email: 'new@example.com', confirmation: null },
      actor,
    );
    const corrected = { referenceNumber, email: 'new@example.com', proof };
    const { body } = await sendForm(portal.port, applicationStatus.path, corrected, newAddressHeaders());
    expect(JSON.parse(body).proven).toBeNull();
  });

  it('shows the reason for a refusal in the timeline only to the proven mailbox', async () => {
    const { portal, referenceNumber } = await startAndSubmit(submitApplicationV2.path, V2_FORM_BODY);
    const email = 'ada@example.com';
    const { changedAt = 0 } =
      (await portal.store.submissions.find('card-application', referenceNumber)) ?? {};
    const refusal = { referenceNumber, changedAt, decision: 'refused', reason: 'Expired passport' } as const;
    await portal.store.records.decideApplication(refusal, {
      adminId: 'ada',
      address: '::1',
      at: TEST_START + 1,
    });
    const readNotes = async (proof?: string) => {
      const payload = { referenceNumber, email, proof };
      const { body } = await sendForm(portal.port, applicationStatus.path, payload, newAddressHeaders());
      return applicationStatus.response.parse(JSON.parse(body)).timeline.map(({ note }) => note);
    };
    expect(await readNotes()).toEqual([null, null]);
    expect(await readNotes(statusProofs(TEST_MASTER_KEY)(referenceNumber, email))).toEqual([
      null,
      'Expired passport',
    ]);
  });

  it('shows the decision after a merge only to the proven mailbox', async () => {
    const { portal, referenceNumber: kept } = await startAndSubmit(submitApplicationV2.path, V2_FORM_BODY);
    const email = 'ada@example.com';
    const { body } = await sendForm(portal.port, submitApplicationV2.path, V2_FORM_BODY);
    const merged = JSON.parse(body).referenceNumber;
    const seenState = async (referenceNumber: string) => {
      const { changedAt = 0 } =
        (await portal.store.submissions.find('card-application', referenceNumber)) ?? {};
      return { referenceNumber, changedAt };
    };
    const actor = { adminId: 'ada', address: '::1', at: TEST_START + 1 };
    const mergeRequest = { kept: await seenState(kept), merged: [await seenState(merged)] };
    expect((await portal.store.records.merge(mergeRequest, actor)).kind).toBe('merged');
    const refusal = { ...(await seenState(kept)), decision: 'refused', reason: 'Expired passport' } as const;
    await portal.store.records.decideApplication(refusal, actor);
    const read = async (referenceNumber: string, proof?: string) => {
      const payload = { referenceNumber, email, proof };
      const answer = await sendForm(portal.port, applicationStatus.path, payload, newAddressHeaders());
      const { status, timeline } = applicationStatus.response.parse(JSON.parse(answer.body));
      return [status, timeline.map((event) => [event.status, event.note])];
    };
    for (const referenceNumber of [kept, merged]) {
      expect(await read(referenceNumber)).toEqual(['received', [['received', null]]]);
      expect(await read(referenceNumber, statusProofs(TEST_MASTER_KEY)(referenceNumber, email))).toEqual([
        'refused',
        [
          ['received', null],
          ['refused', 'Expired passport'],
        ],
      ]);
    }
  });

  it('distinguishes an email that the portal could not compose from one that bounced', async () => {
    const { portal, referenceNumber } = await startAndSubmit(requestVerification.path, VERIFICATION_BODY);
    const email = 'ada@example.com';
    const claim = { channel: 'mail', now: TEST_START, leasedUntil: TEST_START + 9e6, limit: 9 } as const;
    for (const leased of await portal.store.deliveries.claimDue(claim)) {
      const attempt = { at: TEST_START, providerId: null, maskedRecipient: 'a…', latencyMs: 1 };
      const failure = { ...attempt, outcome: 'dead', code: 'no-mail', error: 'no such email' } as const;
      await portal.store.deliveries.recordAttempt(leased, failure, { state: 'dead' });
    }
    const payload = { referenceNumber, email, proof: statusProofs(TEST_MASTER_KEY)(referenceNumber, email) };
    const { body } = await sendForm(portal.port, applicationStatus.path, payload, newAddressHeaders());
    expect(JSON.parse(body).proven.mail).toEqual({ state: 'unsent', reason: null });
  });

  it('ignores the email about a decision that was reopened before the email was sent', async () => {
    const { portal, referenceNumber } = await startAndSubmit(submitApplicationV2.path, V2_FORM_BODY);
    const email = 'ada@example.com';
    const kind = 'card-application';
    const { changedAt = 0 } = (await portal.store.submissions.find(kind, referenceNumber)) ?? {};
    const actor = { adminId: 'ada', address: '::1', at: TEST_START + 1 };
    const refusal = { referenceNumber, changedAt, decision: 'refused', reason: 'Expired passport' } as const;
    const refused = await portal.store.records.decideApplication(refusal, actor);
    if (refused.kind !== 'decided') throw new Error(refused.kind);
    const reopening = { referenceNumber, changedAt: refused.changedAt, kind, reason: 'A mistake.' } as const;
    expect(await portal.store.records.reopen(reopening, actor)).toMatchObject({ kind: 'decided' });
    const payload = { referenceNumber, email, proof: statusProofs(TEST_MASTER_KEY)(referenceNumber, email) };
    const { body } = await sendForm(portal.port, applicationStatus.path, payload, newAddressHeaders());
    expect(JSON.parse(body).proven.mail).toEqual({ state: 'waiting', reason: null });
  });

  it('shows the proven details to the owner of the submission’s wallet, and to no other wallet’s owner', async () => {
    const { portal, referenceNumber } = await startAndSubmit(requestVerification.path, VERIFICATION_BODY);
    const provenTo = async (walletAddress: string) => {
      const token = randomBytes(32).toString('base64url');
      const session = { token, walletAddress, provedAt: TEST_START, expiresAt: TEST_START + 9e6 };
      await portal.store.sessions.openSession(session);
      const payload = { referenceNumber, email: 'ada@example.com' };
      const headers = { Cookie: `${walletSessionCookie(null)}=${token}` };
      return JSON.parse((await sendForm(portal.port, applicationStatus.path, payload, headers)).body).proven;
    };
    expect(await provenTo(VERIFICATION_BODY.walletAddress)).toMatchObject({ by: 'wallet' });
    expect(await provenTo('So11111111111111111111111111111111111111112')).toBeNull();
  });

  it('is the same 404 response for an unknown number and for a wrong email address', async () => {
    const { referenceNumber, ask } = await startAndSubmit(submitApplicationV2.path, V2_FORM_BODY);
    const wrong = await ask(referenceNumber, 'bo@example.com');
    const unknown = await ask('BD-20200101-100000', 'ada@example.com');
    expect([wrong.status, wrong.body]).toEqual([404, unknown.body]);
    expect(unknown.status).toBe(404);
  });

  it('has a limit per email address and minute across all IP addresses', async () => {
    const { portal, referenceNumber } = await startAndSubmit(submitApplicationV2.path, V2_FORM_BODY);
    const askFrom = (machine: number, email: string) =>
      sendForm(
        portal.port,
        applicationStatus.path,
        { referenceNumber, email },
        { 'X-Forwarded-For': `10.2.0.${machine}` },
      );
    for (let machine = 1; machine <= 20; machine += 1) await askFrom(machine, 'ada+x@example.com');
    const refused = await askFrom(21, 'Ada@example.com');
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([429, 'too-many-requests']);
    expect((await askFrom(21, 'bo@example.com')).status).toBe(404);
  });
});
