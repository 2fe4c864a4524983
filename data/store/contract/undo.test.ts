import { describe, expect, it } from 'vitest';
import type { LoanVote } from '../../model/submission-status.ts';
import { UNDO_MS } from '../../model/undo.ts';
import { dueTime } from '../../model/work.ts';
import type { Actor } from '../record-port.ts';
import { decisionMails, storedRecord } from '../testing/decided-records.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { addEndpoint } from '../testing/sample-webhooks.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const ADMIN: Actor = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

describe('decisions', () => {
  useAppStore();

  describe('can be undone', () => {
    const LATER: Actor = { ...ADMIN, at: ADMIN.at + UNDO_MS - 1 };
    async function everythingOf(referenceNumber: string) {
      const whole = await store.records.record(referenceNumber);
      if (whole === null) throw new Error('There is no such record.');
      const { changedAt, ...record } = whole.record;
      return { ...whole, record };
    }
    const undos = async (adminId = ADMIN.adminId, at = LATER.at) => store.records.undos(adminId, at);

    it('with everything that they stored and queued, and the audit trail keeps the decision and the undo', async () => {
      await addEndpoint(store, 'ledger');
      const webhooks = async () =>
        (await store.webhooks.deliveries('ledger', 10)).map(({ event, nextAttemptAt }) => [
          event,
          nextAttemptAt,
        ]);
      const referenceNumber = await submitApplication(store);
      const before = await everythingOf(referenceNumber);
      const refusal = { decision: 'refused', reason: 'Too young.' } as const;
      const decided = await store.records.decideApplication(
        { referenceNumber, changedAt: SUBMITTED_AT, ...refusal },
        ADMIN,
      );
      if (decided.kind !== 'decided') throw new Error(decided.kind);
      const { changedAt } = decided;
      const [mail] = decisionMails(await storedRecord('card-application', referenceNumber));
      expect(mail?.nextAttemptAt).toBe(ADMIN.at + UNDO_MS);
      expect(await webhooks()).toContainEqual(['application.decided', ADMIN.at + UNDO_MS]);
      expect(await undos()).toEqual([
        {
          referenceNumber,
          kind: 'card-application',
          status: 'refused',
          changedAt,
          until: ADMIN.at + UNDO_MS,
        },
      ]);
      expect(await store.records.undo({ referenceNumber, changedAt }, LATER)).toMatchObject({
        kind: 'undone',
        status: 'received',
      });
      expect(await everythingOf(referenceNumber)).toEqual(before);
      expect(await undos()).toEqual([]);
      expect(await webhooks()).toEqual([['application.submitted', SUBMITTED_AT]]);
      expect((await store.auditTrail(2)).map(({ action }) => action)).toEqual([
        'card-application.undone',
        'card-application.refused',
      ]);
      const again = { referenceNumber, changedAt: LATER.at, ...refusal };
      expect(await store.records.decideApplication(again, LATER)).toMatchObject({ kind: 'decided' });
      const counts = await store.records.counts(0);
      expect(counts.applications).toMatchObject({ received: 0, refused: 1 });
    });

    it('only by their admin, in time, and while the record is as it was', async () => {
      const referenceNumber = await submitApplication(store);
      const decide = async (decision: 'in-review' | 'approved', changedAt: number, at: number) => {
        const decided = { referenceNumber, changedAt, decision, reason: null };
        const outcome = await store.records.decideApplication(decided, { ...ADMIN, at });
        if (outcome.kind !== 'decided') throw new Error(outcome.kind);
        return { referenceNumber, changedAt: outcome.changedAt };
      };
      const review = await decide('in-review', SUBMITTED_AT, ADMIN.at);
      const other = { ...LATER, adminId: 'admin-2' };
      expect(await undos('admin-2')).toEqual([]);
      expect(await store.records.undo(review, other)).toEqual({ kind: 'over' });
      const late = { ...ADMIN, at: ADMIN.at + UNDO_MS };
      expect(await undos(ADMIN.adminId, late.at)).toEqual([]);
      expect(await store.records.undo(review, late)).toEqual({ kind: 'over' });
      await decide('approved', review.changedAt, ADMIN.at + 1);
      expect(await store.records.undo(review, LATER)).toEqual({ kind: 'changed' });
      expect(await undos()).toMatchObject([{ status: 'approved' }]);
      const nobody = { referenceNumber: 'BD-1', changedAt: 1 };
      expect(await store.records.undo(nobody, LATER)).toEqual({ kind: 'unknown' });
    });

    it('not once an email about them is being sent', async () => {
      const referenceNumber = await submitApplication(store);
      const decided = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        decision: 'approved',
        reason: null,
      } as const;
      await store.records.decideApplication(decided, ADMIN);
      const claim = { channel: 'mail', leasedUntil: ADMIN.at + 60_000, limit: 10 } as const;
      const isDecision = ({ event }: { readonly event: string }) => event === 'card-application.approved';
      const early = await store.deliveries.claimDue({ ...claim, now: LATER.at });
      expect(early.some(isDecision)).toBe(false);
      const due = await store.deliveries.claimDue({ ...claim, now: ADMIN.at + UNDO_MS });
      expect(due.some(isDecision)).toBe(true);
      const undone = await store.records.undo({ referenceNumber, changedAt: ADMIN.at }, LATER);
      expect(undone).toEqual({ kind: 'sent' });
      const { record } = await storedRecord('card-application', referenceNumber);
      expect(record.status).toBe('approved');
    });

    it('with the whitelisting that they gave, but not the withdrawal of a whitelisting', async () => {
      const referenceNumber = await submitRequest(store);
      const { walletAddress, changedAt } = (await storedRecord('verification-request', referenceNumber))
        .record;
      const approval = {
        referenceNumber,
        changedAt,
        decision: 'approved',
        tier: 'Banker',
        reason: null,
      } as const;
      const approve = async (from: number, at: number) => {
        const outcome = await store.records.decideRequest({ ...approval, changedAt: from }, { ...ADMIN, at });
        if (outcome.kind !== 'decided') throw new Error(outcome.kind);
        return { referenceNumber, changedAt: outcome.changedAt };
      };
      const undone = await store.records.undo(await approve(changedAt, ADMIN.at), LATER);
      expect(undone).toMatchObject({ kind: 'undone', status: 'received' });
      expect(await store.sessions.whitelistedTier(walletAddress)).toBeNull();
      if (undone.kind !== 'undone') throw new Error(undone.kind);
      const approved = await approve(undone.changedAt, LATER.at);
      const withdrawal = { ...approved, decision: 'withdrawn', reason: 'Sold.' } as const;
      const withdrawn = await store.records.decideRequest(withdrawal, { ...LATER, at: LATER.at + 1 });
      if (withdrawn.kind !== 'decided') throw new Error(withdrawn.kind);
      const seen = { referenceNumber, changedAt: withdrawn.changedAt };
      expect(await store.records.undo(seen, { ...LATER, at: LATER.at + 2 })).toEqual({ kind: 'over' });
    });

    it('with the votes that they replaced or cleared', async () => {
      await addReviewers(store, 'one', 'two');
      const referenceNumber = await submitLoan(store);
      const vote = async (adminId: string, cast: LoanVote, changedAt: number, at: number) => {
        const voted = { referenceNumber, vote: cast, reason: null, changedAt };
        const outcome = await store.records.vote(voted, { ...ADMIN, adminId, at });
        if (!('changedAt' in outcome)) throw new Error(outcome.kind);
        return outcome;
      };
      const start = (await storedRecord('loan-application', referenceNumber)).record.changedAt;
      const first = await vote('one', 'approve', start, ADMIN.at);
      const before = await everythingOf(referenceNumber);
      for (const cast of ['refuse', 'approve'] as const) {
        const current = (await storedRecord('loan-application', referenceNumber)).record.changedAt;
        const { changedAt } = await vote('two', cast, Math.max(current, first.changedAt), ADMIN.at + 2);
        const two = { ...LATER, adminId: 'two' };
        expect(await store.records.undo({ referenceNumber, changedAt }, two)).toMatchObject({
          kind: 'undone',
        });
        expect(await everythingOf(referenceNumber)).toEqual(before);
      }
    });

    it('and a mailbox that was confirmed since stays confirmed', async () => {
      await addReviewers(store, 'one');
      const mailbox = { confirmationDigest: 'digest', confirmBy: LATER.at };
      const referenceNumber = await submitLoan(store, mailbox);
      const actor = { ...ADMIN, adminId: 'one' };
      const voted = { referenceNumber, vote: 'approve', reason: null, changedAt: SUBMITTED_AT } as const;
      const { changedAt } = (await store.records.vote(voted, actor)) as { changedAt: number };
      await store.submissions.confirmMailbox('digest', ADMIN.at + 1);
      expect(await store.records.undo({ referenceNumber, changedAt }, actor)).toMatchObject({
        kind: 'undone',
      });
      const { record } = await storedRecord('loan-application', referenceNumber);
      expect(record).toMatchObject({ confirmBy: null, mailboxConfirmedAt: ADMIN.at + 1 });
    });

    it('on a contact message, which is then due as before', async () => {
      const referenceNumber = await submitMessage(store);
      const before = await everythingOf(referenceNumber);
      const decided = { referenceNumber, changedAt: SUBMITTED_AT, status: 'closed', reason: null } as const;
      const closed = await store.records.decideContact(decided, ADMIN);
      if (closed.kind !== 'decided') throw new Error(closed.kind);
      const seen = { referenceNumber, changedAt: closed.changedAt };
      expect(await store.records.undo(seen, LATER)).toMatchObject({ kind: 'undone', status: 'open' });
      expect(await everythingOf(referenceNumber)).toEqual(before);
    });
  });

  describe('are reopened', () => {
    const reopened = { reason: 'Decided on the wrong one.' };

    it('with a reason for the team, and can be decided and reported again', async () => {
      const referenceNumber = await submitApplication(store);
      let changedAt = SUBMITTED_AT;
      const kind = 'card-application';
      const early = await store.records.reopen({ referenceNumber, changedAt, kind, ...reopened }, ADMIN);
      expect(early).toMatchObject({ kind: 'closed' });
      for (const round of [1, 2]) {
        const decided = { referenceNumber, changedAt, decision: 'refused', reason: 'No.' } as const;
        const refused = await store.records.decideApplication(decided, ADMIN);
        if (refused.kind !== 'decided') throw new Error(`${round}: ${refused.kind}`);
        changedAt = refused.changedAt;
        await store.deliveries.claimDue({
          ...{ channel: 'mail', now: ADMIN.at + UNDO_MS, leasedUntil: ADMIN.at + 2 * UNDO_MS, limit: 10 },
        });
        const again = await store.records.reopen({ referenceNumber, changedAt, kind, ...reopened }, ADMIN);
        if (again.kind !== 'decided') throw new Error(`${round}: ${again.kind}`);
        expect(again.status).toBe('in-review');
        changedAt = again.changedAt;
      }
      const { timeline, decisions, deliveries, record } = await storedRecord(kind, referenceNumber);
      expect(timeline.at(-1)).toMatchObject({ status: 'in-review', note: null });
      expect(decisions.at(-1)).toMatchObject({ decision: 'reopened', ...reopened });
      expect(record.dueAt).toBe(dueTime(kind, {}, ADMIN.at));
      expect(deliveries.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['card-application.refused', 'card-application.refused:2']),
      );
      const [audited] = await store.auditTrail(1);
      expect(audited).toMatchObject({ action: 'card-application.reopened', details: { from: 'refused' } });
    });

    it('without the unsent emails, which an undo queues again', async () => {
      const kind = 'verification-request';
      const referenceNumber = await submitRequest(store);
      let changedAt = SUBMITTED_AT;
      const seen = () => ({ referenceNumber, changedAt });
      const settled = async <Outcome extends { readonly kind: string }>(change: Promise<Outcome>) => {
        const outcome = await change;
        if (!('changedAt' in outcome)) throw new Error(outcome.kind);
        changedAt = Number(outcome.changedAt);
      };
      const mails = async () =>
        decisionMails(await storedRecord(kind, referenceNumber))
          .map(({ event }) => event)
          .toSorted();
      const refuse = (at: number) => {
        const refusal = { ...seen(), decision: 'refused', reason: 'No.' } as const;
        return settled(store.records.decideRequest(refusal, { ...ADMIN, at }));
      };
      const approved = { decision: 'approved', tier: 'Banker', reason: null } as const;
      await settled(store.records.decideRequest({ ...seen(), ...approved }, ADMIN));
      await settled(
        store.records.decideRequest({ ...seen(), decision: 'withdrawn', reason: 'Sold.' }, ADMIN),
      );
      const both = [`${kind}.approved`, `${kind}.withdrawn`];
      expect(await mails()).toEqual(both);
      await settled(store.records.reopen({ ...seen(), kind, ...reopened }, ADMIN));
      expect(await mails()).toEqual([]);
      await settled(store.records.undo(seen(), ADMIN));
      expect(await mails()).toEqual(both);
      const send = () =>
        store.deliveries.claimDue({
          ...{ channel: 'mail', now: ADMIN.at, leasedUntil: ADMIN.at + UNDO_MS, limit: 10 },
        });
      const failed = (await send()).find(({ event }) => event === both[0]) ?? expect.fail('No email is due.');
      const attempt = { at: ADMIN.at, outcome: 'dead', providerId: null, code: null, error: null } as const;
      const logged = { ...attempt, maskedRecipient: '…', latencyMs: 1 };
      await store.deliveries.recordAttempt(failed, logged, { state: 'dead' });
      await store.records.retryDelivery(failed.id, ADMIN);
      await settled(store.records.reopen({ ...seen(), kind, ...reopened }, ADMIN));
      expect(await mails()).toEqual(both);
      await refuse(ADMIN.at - UNDO_MS);
      await send();
      for (const _round of [1, 2]) {
        await settled(store.records.reopen({ ...seen(), kind, ...reopened }, ADMIN));
        expect(await mails()).toEqual([both[0], `${kind}.refused`, both[1]]);
        await refuse(ADMIN.at);
        expect(await mails()).toContain(`${kind}.refused:2`);
      }
    });

    it('without the votes and the reason of the decision, which an undo restores', async () => {
      await addReviewers(store, 'one', 'two');
      const confirmBy = ADMIN.at + 1;
      const referenceNumber = await submitLoan(store, { confirmationDigest: 'digest', confirmBy });
      const kind = 'loan-application';
      for (const adminId of ['one', 'two']) {
        const { changedAt } = (await storedRecord(kind, referenceNumber)).record;
        const voted = { referenceNumber, vote: 'refuse', reason: 'No.', changedAt } as const;
        await store.records.vote(voted, { ...ADMIN, adminId });
      }
      const { record, votes } = await storedRecord(kind, referenceNumber);
      const decided = { referenceNumber, changedAt: record.changedAt, kind, ...reopened } as const;
      const outcome = await store.records.reopen(decided, ADMIN);
      if (outcome.kind !== 'decided') throw new Error(outcome.kind);
      const again = await storedRecord(kind, referenceNumber);
      expect(again).toMatchObject({
        votes: [],
        record: { status: 'in-review', refusalReason: null, confirmBy: null },
      });
      expect(await store.retention.unconfirmedDue(confirmBy)).toEqual([]);
      await store.records.undo({ referenceNumber, changedAt: outcome.changedAt }, ADMIN);
      expect(await storedRecord(kind, referenceNumber)).toMatchObject({
        votes,
        record: { status: 'refused', refusalReason: 'No.', confirmBy },
      });
    });
  });
});
