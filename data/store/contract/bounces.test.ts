import { describe, expect, it } from 'vitest';
import type { AdminLists } from '../../model/admin-lists.ts';
import { UNDO_MS } from '../../model/undo.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import {
  FIRST_PAGE,
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const AT = SUBMITTED_AT + 1_000;
const ADMIN = { adminId: 'admin-1', address: '192.0.2.1', at: AT };
const REFUSAL = { at: AT, code: '5.1.1', error: 'User unknown', maskedRecipient: 'a…@….com' };
const NEW_EMAIL = 'Ada.Byron@example.org';

describe('a bounced email', () => {
  useAppStore();

  /** Records an attempt for each due email. Emails to the team become `sent`, and emails to applicants get the given state. */
  async function endMails(state: 'sent' | 'dead'): Promise<void> {
    const claim = { channel: 'mail', now: AT + UNDO_MS, leasedUntil: AT + 1e6, limit: 100 } as const;
    for (const delivery of await store.deliveries.claimDue(claim)) {
      const outcome = delivery.audience === 'team' ? 'sent' : state;
      const attempt = { ...REFUSAL, outcome, providerId: null, latencyMs: 1 } as const;
      await store.deliveries.recordAttempt(delivery, attempt, { state: outcome });
    }
  }
  const mailsTo = async (referenceNumber: string) =>
    (await store.deliveries.deliveriesOf(referenceNumber)).filter(
      ({ channel, audience }) => channel === 'mail' && audience === 'applicant',
    );
  const mailTo = async (referenceNumber: string) => {
    const [mail] = await mailsTo(referenceNumber);
    if (!mail) throw new Error('There is no email to the applicant.');
    return mail;
  };
  const listBounced = async (list: Exclude<keyof AdminLists, 'delivery-logs'>) => {
    const { rows, total } = await store.records.list(list, { ...FIRST_PAGE, filters: { mail: 'bounced' } });
    expect(rows.every(({ mailBounced }) => mailBounced)).toBe(true);
    expect(total).toBe(rows.length);
    return rows.map(({ referenceNumber }) => referenceNumber);
  };
  const correctAddress = (referenceNumber: string, email = NEW_EMAIL) =>
    store.bounces.correctAddress(
      { referenceNumber, email, confirmation: { digest: `digest of ${email}`, confirmBy: AT + 72 } },
      ADMIN,
    );

  it('marks its record in the list of its kind, and no other record', async () => {
    await submitApplication(store, { email: 'well@example.com' });
    await endMails('sent');
    const records = {
      applications: await submitApplication(store),
      'verification-requests': await submitRequest(store),
      contacts: await submitMessage(store),
      'loan-applications': await submitLoan(store),
    } as const;
    await endMails('dead');
    for (const [list, referenceNumber] of Object.entries(records)) {
      expect(await listBounced(list as keyof typeof records), list).toEqual([referenceNumber]);
    }
    const { rows } = await store.records.list('applications', FIRST_PAGE);
    expect(rows.map(({ emailState, mailBounced }) => [emailState, mailBounced])).toEqual([
      ['failed', true],
      ['sent', false],
    ]);
    const sorted = {
      ...FIRST_PAGE,
      sort: 'email',
      filters: { mail: 'bounced', status: 'received' },
      search: 'ada',
    };
    expect((await store.records.list('applications', sorted)).total).toBe(1);
  });

  it('is recorded as bounced even if the server had accepted it, and no other email is', async () => {
    const referenceNumber = await submitApplication(store);
    await endMails('sent');
    await store.records.decideApplication(
      { referenceNumber, changedAt: SUBMITTED_AT, decision: 'approved', reason: null },
      ADMIN,
    );
    await endMails('sent');
    const decision = (await mailsTo(referenceNumber)).find(({ event }) => event.endsWith('.approved'));
    const { recordBounce } = store.bounces;
    expect(await recordBounce({ deliveryId: 'none' }, 'ada@example.com', REFUSAL)).toBe('unknown');
    expect(await recordBounce({ receiptOf: 'BD-20260102-000000' }, 'ada@example.com', REFUSAL)).toBe(
      'unknown',
    );
    const mail = { deliveryId: decision?.id ?? '' };
    expect(await recordBounce(mail, 'bo@example.com', REFUSAL)).toBe('other-recipient');
    expect(await recordBounce(mail, 'Ada+card@example.com', REFUSAL)).toBe('bounced');
    expect(await recordBounce(mail, 'ada@example.com', REFUSAL)).toBe('known');
    expect((await mailsTo(referenceNumber)).map(({ event, state }) => [event, state]).toSorted()).toEqual([
      ['card-application.approved', 'dead'],
      ['card-application.received', 'sent'],
    ]);
    expect(await store.records.counts(0)).toMatchObject({ sentDeliveries: 2, deadDeliveries: 1 });
    expect((await store.deliveries.attempts(1))[0]).toMatchObject({ ...REFUSAL, outcome: 'dead' });
    expect(await recordBounce({ receiptOf: referenceNumber }, 'ada@example.com', REFUSAL)).toBe('bounced');
  });

  it('is recorded as bounced only if it has been attempted', async () => {
    const referenceNumber = await submitApplication(store);
    expect(await store.bounces.recordBounce({ receiptOf: referenceNumber }, 'ada@example.com', REFUSAL)).toBe(
      'unknown',
    );
  });

  it('ends the attempt in progress', async () => {
    const referenceNumber = await submitApplication(store);
    const claim = { channel: 'mail', now: AT, leasedUntil: AT + 1e6, limit: 100 } as const;
    const leased = (await store.deliveries.claimDue(claim)).find(({ audience }) => audience === 'applicant');
    if (!leased) throw new Error('Nothing was due.');
    expect(await store.bounces.recordBounce({ receiptOf: referenceNumber }, 'ada@example.com', REFUSAL)).toBe(
      'bounced',
    );
    const sent = { ...REFUSAL, outcome: 'sent', providerId: null, latencyMs: 1 } as const;
    expect(await store.deliveries.recordAttempt(leased, sent, { state: 'sent' })).toBe('stale');
  });

  it('is sent to a corrected address, and the earlier address is kept', async () => {
    const referenceNumber = await submitApplication(store);
    await endMails('dead');
    await store.records.decideApplication(
      { referenceNumber, changedAt: SUBMITTED_AT, decision: 'approved', reason: null },
      ADMIN,
    );
    expect(await correctAddress('BD-20260102-000000')).toEqual({ kind: 'unknown' });
    expect(await correctAddress(referenceNumber, 'ada@example.com')).toEqual({ kind: 'unchanged' });
    expect(await correctAddress(referenceNumber)).toEqual({
      kind: 'corrected',
      deliveries: 2,
      confirmBy: null,
    });
    expect(await correctAddress(referenceNumber, 'other@example.com')).toEqual({ kind: 'not-bounced' });
    const queued = (await mailsTo(referenceNumber)).map(({ state, recipient, attemptCount }) => [
      state,
      recipient,
      attemptCount,
    ]);
    expect(queued).toEqual([
      ['waiting', NEW_EMAIL, 0],
      ['waiting', NEW_EMAIL, 0],
    ]);
    expect(await listBounced('applications')).toEqual([]);
    const stored = await store.records.record(referenceNumber);
    expect(stored?.record.email).toBe(NEW_EMAIL);
    expect(stored?.earlierAddresses).toEqual([{ email: 'ada@example.com', at: AT, by: 'admin-1' }]);
    expect(stored && 'changedAt' in stored.record && stored.record.changedAt).toBeGreaterThan(AT);
    const application = await store.submissions.find('card-application', referenceNumber);
    expect(await store.submissions.ofWallet(application?.walletAddress ?? '', 9)).toMatchObject([
      { status: 'approved', changedAt: AT },
    ]);
    expect(await store.submissions.timelineOf(referenceNumber, NEW_EMAIL)).not.toBeNull();
    expect(await store.submissions.timelineOf(referenceNumber, 'ada@example.com')).toBeNull();
    const countMatches = async (search: string) =>
      (await store.records.list('applications', { ...FIRST_PAGE, search })).total;
    expect([await countMatches('byron'), await countMatches('ada@example')]).toEqual([1, 0]);
    const [audited] = await store.auditTrail(1);
    expect(audited).toMatchObject({
      action: 'record.address-corrected',
      actor: 'admin-1',
      details: { referenceNumber },
    });
    expect(JSON.stringify(audited)).not.toMatch(/@/);
    expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 0, sentDeliveries: 1 });
  });

  it('is not sent to the corrected address if a later decision replaced the one it reports', async () => {
    const referenceNumber = await submitRequest(store);
    const decision = { referenceNumber, decision: 'approved', tier: 'Banker', reason: null } as const;
    const approved = await store.records.decideRequest({ ...decision, changedAt: SUBMITTED_AT }, ADMIN);
    await endMails('dead');
    if (approved.kind !== 'decided') throw new Error(approved.kind);
    const { changedAt } = approved;
    const withdrawal = { referenceNumber, changedAt, decision: 'withdrawn', reason: 'Sold.' } as const;
    await store.records.decideRequest(withdrawal, ADMIN);
    await endMails('dead');
    expect(await correctAddress(referenceNumber)).toMatchObject({ kind: 'corrected', deliveries: 2 });
    expect((await mailsTo(referenceNumber)).map(({ event, state }) => [event, state]).toSorted()).toEqual([
      ['verification-request.approved', 'settled'],
      ['verification-request.received', 'waiting'],
      ['verification-request.withdrawn', 'waiting'],
    ]);
  });

  it('about a contact message is also sent to a corrected address', async () => {
    const referenceNumber = await submitMessage(store);
    await endMails('dead');
    expect(await correctAddress(referenceNumber)).toMatchObject({ kind: 'corrected', deliveries: 1 });
    expect((await store.submissions.find('contact-message', referenceNumber))?.email).toBe(NEW_EMAIL);
  });

  it('about an undecided loan application: a corrected address gets a new confirmation link and deadline', async () => {
    const referenceNumber = await submitLoan(store, { confirmBy: AT + 50, confirmationDigest: 'old digest' });
    await endMails('sent');
    await store.submissions.confirmMailbox('old digest', AT);
    await store.bounces.recordBounce(
      { receiptOf: referenceNumber },
      (await mailTo(referenceNumber)).recipient ?? '',
      REFUSAL,
    );
    expect(await correctAddress(referenceNumber)).toEqual({
      kind: 'corrected',
      deliveries: 1,
      confirmBy: AT + 72,
    });
    expect(await store.submissions.find('loan-application', referenceNumber)).toMatchObject({
      email: NEW_EMAIL,
      mailboxConfirmedAt: null,
      confirmBy: AT + 72,
    });
    expect(await store.submissions.confirmMailbox('old digest', AT)).toEqual({ kind: 'unknown' });
    expect(await store.submissions.confirmMailbox(`digest of ${NEW_EMAIL}`, AT)).toMatchObject({
      kind: 'confirmed',
    });
  });

  it.each(['merged', 'decided'] as const)(
    'about a %s loan application: a correction invalidates the old link and leaves the new mailbox unconfirmed',
    async (state) => {
      const oldLink = { confirmBy: AT + 50, confirmationDigest: 'old digest' };
      const referenceNumber = await submitLoan(store, oldLink);
      await endMails('dead');
      const changedAt = SUBMITTED_AT;
      const seen = { referenceNumber, changedAt };
      if (state === 'merged') {
        const kept = { referenceNumber: await submitLoan(store), changedAt };
        expect(await store.records.merge({ kept, merged: [seen] }, ADMIN)).toMatchObject({ kind: 'merged' });
      } else {
        await addReviewers(store, 'one', 'two');
        const vote = { ...seen, vote: 'refuse', reason: 'No.' } as const;
        const first = await store.records.vote(vote, { ...ADMIN, adminId: 'one' });
        if (!('changedAt' in first)) throw new Error(first.kind);
        const second = { ...vote, changedAt: first.changedAt };
        expect(await store.records.vote(second, { ...ADMIN, adminId: 'two' })).toMatchObject({
          kind: 'decided',
        });
      }
      const confirmBy = state === 'merged' ? AT + 72 : null;
      expect(await correctAddress(referenceNumber)).toMatchObject({ kind: 'corrected', confirmBy });
      expect(await store.submissions.confirmMailbox('old digest', AT)).toEqual({ kind: 'unknown' });
      const loan = await store.submissions.find('loan-application', referenceNumber);
      expect(loan).toMatchObject({ mailboxConfirmedAt: null, confirmBy });
      const newLink = await store.submissions.confirmMailbox(`digest of ${NEW_EMAIL}`, AT);
      expect(newLink).toMatchObject({ kind: 'confirmed' });
    },
  );

  it('is settled, with a note, once the team informs the applicant in another way', async () => {
    const referenceNumber = await submitMessage(store);
    const settle = () => store.bounces.settle({ referenceNumber, by: 'phone' }, ADMIN);
    expect(await settle()).toBe('not-bounced');
    await endMails('dead');
    expect(await settle()).toBe('settled');
    expect(await settle()).toBe('not-bounced');
    expect(await listBounced('contacts')).toEqual([]);
    const { rows } = await store.records.list('contacts', FIRST_PAGE);
    expect(rows.map(({ emailSent, emailState }) => [emailSent, emailState])).toEqual([[false, 'settled']]);
    expect((await store.records.record(referenceNumber))?.notes).toMatchObject([{ by: 'admin-1', at: AT }]);
    expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 0 });
    expect(await store.records.retryDelivery((await mailTo(referenceNumber)).id, ADMIN)).toBe('not-dead');
    expect(await store.bounces.retryFailed(null, ADMIN)).toEqual([]);
    expect((await store.auditTrail(1))[0]).toMatchObject({
      action: 'record.bounce-settled',
      details: { by: 'phone' },
    });
  });

  it('is queued again with all failed emails of its record or of all records, with one audit record per record', async () => {
    const first = await submitApplication(store);
    const others = [
      await submitMessage(store, { email: 'bo@example.com' }),
      await submitMessage(store, { email: 'cy@example.com' }),
    ].sort();
    await endMails('dead');
    expect(await store.bounces.findFailed(first)).toEqual([{ referenceNumber: first, deliveries: 1 }]);
    expect(await store.bounces.findFailed(null)).toHaveLength(3);
    expect((await mailTo(first)).state).toBe('dead');
    expect(await store.bounces.retryFailed(first, ADMIN)).toEqual([
      { referenceNumber: first, deliveries: 1 },
    ]);
    expect((await mailTo(first)).state).toBe('waiting');
    const otherFailures = others.map((referenceNumber) => ({ referenceNumber, deliveries: 1 }));
    expect(await store.bounces.findFailed(null)).toEqual(otherFailures);
    expect(await store.bounces.retryFailed(null, ADMIN)).toEqual(otherFailures);
    expect(await store.bounces.retryFailed(null, ADMIN)).toEqual([]);
    expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 0 });
    const trail = await store.auditTrail(3);
    expect(trail.map(({ action, details }) => [action, details.referenceNumber]).reverse()).toEqual(
      [first, ...others].map((reference) => ['deliveries.retried', reference]),
    );
  });

  it.each(['retryFailed', 'retryDelivery'] as const)(
    'to the earlier address is sent again to the corrected one by %s, even if it bounced after the correction',
    async (retry) => {
      const referenceNumber = await submitApplication(store);
      const changedAt = SUBMITTED_AT;
      await store.records.decideApplication(
        { referenceNumber, changedAt, decision: 'approved', reason: null },
        ADMIN,
      );
      await endMails('sent');
      const decision = (await mailsTo(referenceNumber)).find(({ event }) => event.endsWith('.approved'));
      const deliveryId = decision?.id ?? '';
      await store.bounces.recordBounce({ receiptOf: referenceNumber }, 'ada@example.com', REFUSAL);
      expect((await correctAddress(referenceNumber)).kind).toBe('corrected');
      expect(await store.bounces.recordBounce({ deliveryId }, 'ada@example.com', REFUSAL)).toBe('bounced');
      if (retry === 'retryFailed') await store.bounces.retryFailed(referenceNumber, ADMIN);
      else expect(await store.records.retryDelivery(deliveryId, ADMIN)).toBe('retried');
      const mails = await mailsTo(referenceNumber);
      expect(mails.map(({ state, recipient }) => [state, recipient])).toEqual([
        ['waiting', NEW_EMAIL],
        ['waiting', NEW_EMAIL],
      ]);
    },
  );

  it('leaves no address after an erasure of the person, or of the earlier address alone', async () => {
    const erase = (email: string) =>
      store.erasures.erase({ email, walletAddress: null }, AT, ({ records }) => ({
        id: `erasure of ${records.length}`,
        at: AT,
        actor: 'admin-1',
        action: 'person.erased',
        details: {},
      }));
    const referenceNumber = await submitApplication(store);
    await endMails('sent');
    await store.records.decideApplication(
      { referenceNumber, changedAt: SUBMITTED_AT, decision: 'approved', reason: null },
      ADMIN,
    );
    await endMails('dead');
    await correctAddress(referenceNumber);
    expect(await erase('ADA+card@example.com')).toMatchObject({
      records: [],
      counts: { earlierAddresses: 1, recipients: 1 },
    });
    expect((await mailsTo(referenceNumber)).map(({ recipient }) => recipient).toSorted()).toEqual(
      [NEW_EMAIL, null].toSorted(),
    );
    expect((await store.records.record(referenceNumber))?.earlierAddresses).toEqual([]);
    await endMails('dead');
    await correctAddress(referenceNumber, 'third@example.com');
    expect(await erase('third@example.com')).toMatchObject({
      records: [{ referenceNumber }],
      counts: { earlierAddresses: 1, recipients: 1, cardApplications: 1 },
    });
    expect(await store.bounces.retryFailed(null, ADMIN)).toEqual([]);
  });
});
