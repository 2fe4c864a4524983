import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptOutcome, SendingState } from '../../model/delivery-states.ts';
import type { LoanVote } from '../../model/submission-status.ts';
import { UNDO_MS } from '../../model/undo.ts';
import { dueTime } from '../../model/work.ts';
import type { Actor } from '../record-port.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { addEndpoint } from '../testing/sample-webhooks.ts';
import { decisionDeliveries, readStoredRecord } from '../testing/stored-records.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const ADMIN: Actor = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

describe('decisions', () => {
  useAppStore();

  describe('can be undone', () => {
    const LATER: Actor = { ...ADMIN, at: ADMIN.at + UNDO_MS - 1 };
    async function recordWithoutChangeTime(referenceNumber: string) {
      const stored = await store.records.record(referenceNumber);
      if (stored === null) throw new Error('There is no such record.');
      const { changedAt, ...record } = stored.record;
      return { ...stored, record };
    }
    const openUndos = async (adminId = ADMIN.adminId, at = LATER.at) =>
      store.records.undoableDecisions(adminId, at);

    it('with everything that they stored and queued, and the audit trail keeps the decision and the undo', async () => {
      await addEndpoint(store, 'ledger');
      const webhooks = async () =>
        (await store.webhooks.deliveries('ledger', 10)).map(({ event, nextAttemptAt }) => [
          event,
          nextAttemptAt,
        ]);
      const referenceNumber = await submitApplication(store);
      const before = await recordWithoutChangeTime(referenceNumber);
      const refusal = { decision: 'refused', reason: 'Too young.' } as const;
      const outcome = await store.records.decideApplication(
        { referenceNumber, changedAt: SUBMITTED_AT, ...refusal },
        ADMIN,
      );
      if (outcome.kind !== 'decided') throw new Error(outcome.kind);
      const { changedAt } = outcome;
      const [mail] = decisionDeliveries(await readStoredRecord('card-application', referenceNumber));
      expect(mail?.nextAttemptAt).toBe(ADMIN.at + UNDO_MS);
      expect(await webhooks()).toContainEqual(['application.decided', ADMIN.at + UNDO_MS]);
      expect(await openUndos()).toEqual([
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
      expect(await recordWithoutChangeTime(referenceNumber)).toEqual(before);
      expect(await openUndos()).toEqual([]);
      expect(await webhooks()).toEqual([['application.submitted', SUBMITTED_AT]]);
      expect((await store.auditTrail(2)).map(({ action }) => action)).toEqual([
        'card-application.undone',
        'card-application.refused',
      ]);
      const secondDecision = { referenceNumber, changedAt: LATER.at, ...refusal };
      expect(await store.records.decideApplication(secondDecision, LATER)).toMatchObject({ kind: 'decided' });
      const counts = await store.records.counts(0);
      expect(counts.applications).toMatchObject({ received: 0, refused: 1 });
    });

    it('only by their admin, in time, and while the record has not changed since', async () => {
      const referenceNumber = await submitApplication(store);
      const decide = async (decision: 'in-review' | 'approved', changedAt: number, at: number) => {
        const decisionInput = { referenceNumber, changedAt, decision, reason: null };
        const outcome = await store.records.decideApplication(decisionInput, { ...ADMIN, at });
        if (outcome.kind !== 'decided') throw new Error(outcome.kind);
        return { referenceNumber, changedAt: outcome.changedAt };
      };
      const review = await decide('in-review', SUBMITTED_AT, ADMIN.at);
      const other = { ...LATER, adminId: 'admin-2' };
      expect(await openUndos('admin-2')).toEqual([]);
      expect(await store.records.undo(review, other)).toEqual({ kind: 'over' });
      const late = { ...ADMIN, at: ADMIN.at + UNDO_MS };
      expect(await openUndos(ADMIN.adminId, late.at)).toEqual([]);
      expect(await store.records.undo(review, late)).toEqual({ kind: 'over' });
      await decide('approved', review.changedAt, ADMIN.at + 1);
      expect(await store.records.undo(review, LATER)).toEqual({ kind: 'changed' });
      expect(await openUndos()).toMatchObject([{ status: 'approved' }]);
      const unknownRecord = { referenceNumber: 'BD-1', changedAt: 1 };
      expect(await store.records.undo(unknownRecord, LATER)).toEqual({ kind: 'unknown' });
    });

    it('not once an email about them is being sent', async () => {
      const referenceNumber = await submitApplication(store);
      const decisionInput = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        decision: 'approved',
        reason: null,
      } as const;
      await store.records.decideApplication(decisionInput, ADMIN);
      const claim = { channel: 'mail', leasedUntil: ADMIN.at + 60_000, limit: 10 } as const;
      const isDecision = ({ event }: { readonly event: string }) => event === 'card-application.approved';
      const earlyMails = await store.deliveries.claimDue({ ...claim, now: LATER.at });
      expect(earlyMails.some(isDecision)).toBe(false);
      const due = await store.deliveries.claimDue({ ...claim, now: ADMIN.at + UNDO_MS });
      expect(due.some(isDecision)).toBe(true);
      const undone = await store.records.undo({ referenceNumber, changedAt: ADMIN.at }, LATER);
      expect(undone).toEqual({ kind: 'sent' });
      const { record } = await readStoredRecord('card-application', referenceNumber);
      expect(record.status).toBe('approved');
    });

    it('with the whitelisting that they gave, but not the withdrawal of a whitelisting', async () => {
      const referenceNumber = await submitRequest(store);
      const { walletAddress, changedAt } = (await readStoredRecord('verification-request', referenceNumber))
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
      const undoInput = { referenceNumber, changedAt: withdrawn.changedAt };
      expect(await store.records.undo(undoInput, { ...LATER, at: LATER.at + 2 })).toEqual({ kind: 'over' });
    });

    it('with the votes that they replaced or cleared', async () => {
      await addReviewers(store, 'one', 'two');
      const referenceNumber = await submitLoan(store);
      const vote = async (adminId: string, loanVote: LoanVote, changedAt: number, at: number) => {
        const voteInput = { referenceNumber, vote: loanVote, reason: null, changedAt };
        const outcome = await store.records.vote(voteInput, { ...ADMIN, adminId, at });
        if (!('changedAt' in outcome)) throw new Error(outcome.kind);
        return outcome;
      };
      const firstChangedAt = (await readStoredRecord('loan-application', referenceNumber)).record.changedAt;
      const first = await vote('one', 'approve', firstChangedAt, ADMIN.at);
      const before = await recordWithoutChangeTime(referenceNumber);
      for (const loanVote of ['refuse', 'approve'] as const) {
        const current = (await readStoredRecord('loan-application', referenceNumber)).record.changedAt;
        const { changedAt } = await vote('two', loanVote, Math.max(current, first.changedAt), ADMIN.at + 2);
        const two = { ...LATER, adminId: 'two' };
        expect(await store.records.undo({ referenceNumber, changedAt }, two)).toMatchObject({
          kind: 'undone',
        });
        expect(await recordWithoutChangeTime(referenceNumber)).toEqual(before);
      }
    });

    it('without affecting a mailbox that was confirmed since', async () => {
      await addReviewers(store, 'one');
      const mailbox = { confirmationDigest: 'digest', confirmBy: LATER.at };
      const referenceNumber = await submitLoan(store, mailbox);
      const actor = { ...ADMIN, adminId: 'one' };
      const voteInput = { referenceNumber, vote: 'approve', reason: null, changedAt: SUBMITTED_AT } as const;
      const { changedAt } = (await store.records.vote(voteInput, actor)) as { changedAt: number };
      await store.submissions.confirmMailbox('digest', ADMIN.at + 1);
      expect(await store.records.undo({ referenceNumber, changedAt }, actor)).toMatchObject({
        kind: 'undone',
      });
      const { record } = await readStoredRecord('loan-application', referenceNumber);
      expect(record).toMatchObject({ confirmBy: null, mailboxConfirmedAt: ADMIN.at + 1 });
    });

    it('on a contact message, which is then due as before', async () => {
      const referenceNumber = await submitMessage(store);
      const before = await recordWithoutChangeTime(referenceNumber);
      const decisionInput = {
        referenceNumber,
        changedAt: SUBMITTED_AT,
        status: 'closed',
        reason: null,
      } as const;
      const closed = await store.records.decideContact(decisionInput, ADMIN);
      if (closed.kind !== 'decided') throw new Error(closed.kind);
      const undoInput = { referenceNumber, changedAt: closed.changedAt };
      expect(await store.records.undo(undoInput, LATER)).toMatchObject({ kind: 'undone', status: 'open' });
      expect(await recordWithoutChangeTime(referenceNumber)).toEqual(before);
    });
  });

  describe('are reopened', () => {
    const reopenReason = { reason: 'Decided on the wrong one.' };

    it('with a reason for the team, and can be decided and reported again', async () => {
      const referenceNumber = await submitApplication(store);
      let changedAt = SUBMITTED_AT;
      const kind = 'card-application';
      const earlyOutcome = await store.records.reopen(
        { referenceNumber, changedAt, kind, ...reopenReason },
        ADMIN,
      );
      expect(earlyOutcome).toMatchObject({ kind: 'closed' });
      for (const round of [1, 2]) {
        const decisionInput = { referenceNumber, changedAt, decision: 'refused', reason: 'No.' } as const;
        const refused = await store.records.decideApplication(decisionInput, ADMIN);
        if (refused.kind !== 'decided') throw new Error(`${round}: ${refused.kind}`);
        changedAt = refused.changedAt;
        await store.deliveries.claimDue({
          ...{ channel: 'mail', now: ADMIN.at + UNDO_MS, leasedUntil: ADMIN.at + 2 * UNDO_MS, limit: 10 },
        });
        const reopenOutcome = await store.records.reopen(
          { referenceNumber, changedAt, kind, ...reopenReason },
          ADMIN,
        );
        if (reopenOutcome.kind !== 'decided') throw new Error(`${round}: ${reopenOutcome.kind}`);
        expect(reopenOutcome.status).toBe('in-review');
        changedAt = reopenOutcome.changedAt;
      }
      const { timeline, decisions, deliveries, record } = await readStoredRecord(kind, referenceNumber);
      expect(timeline.at(-1)).toMatchObject({ status: 'in-review', note: null });
      expect(decisions.at(-1)).toMatchObject({ decision: 'reopened', ...reopenReason });
      expect(record.dueAt).toBe(dueTime(kind, {}, ADMIN.at));
      expect(deliveries.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['card-application.refused', 'card-application.refused:2']),
      );
      const [audited] = await store.auditTrail(1);
      expect(audited).toMatchObject({ action: 'card-application.reopened', details: { from: 'refused' } });
    });

    describe('or replaced: the email about the earlier decision', () => {
      const kind = 'card-application';
      const at = ADMIN.at + UNDO_MS;
      const LATER = { ...ADMIN, at };
      let referenceNumber: string;
      let changedAt: number;
      const currentState = () => ({ referenceNumber, changedAt });
      const expectChanged = async <Outcome extends { readonly kind: string }>(change: Promise<Outcome>) => {
        const outcome = await change;
        if (!('changedAt' in outcome)) throw new Error(outcome.kind);
        changedAt = Number(outcome.changedAt);
      };
      const decide = (decision: 'approved' | 'refused', actor = LATER) =>
        expectChanged(
          store.records.decideApplication({ ...currentState(), decision, reason: 'Once more.' }, actor),
        );
      const reopen = () =>
        expectChanged(store.records.reopen({ ...currentState(), kind, ...reopenReason }, LATER));
      const undo = () => expectChanged(store.records.undo(currentState(), LATER));
      const mails = async () =>
        decisionDeliveries(await readStoredRecord(kind, referenceNumber))
          .map(({ event, state }) => `${event.replace(`${kind}.`, '')} ${state}`)
          .toSorted();
      const claimApproval = async (now = at) => {
        const claim = { channel: 'mail', now, leasedUntil: now + 60_000, limit: 10 } as const;
        const claimed = await store.deliveries.claimDue(claim);
        return claimed.find(({ event }) => event.includes('.approved'));
      };
      type Lease = NonNullable<Awaited<ReturnType<typeof claimApproval>>>;
      const record = async (lease: Lease | undefined, outcome: AttemptOutcome, state: SendingState) => {
        if (!lease || state === 'leased') throw new Error('Nothing was due.');
        const logged = { at, outcome, maskedRecipient: '…', latencyMs: 1 };
        const after = state === 'waiting' ? { state, nextAttemptAt: at, counts: true } : { state };
        const details = { providerId: null, code: null, error: null };
        expect(await store.deliveries.recordAttempt(lease, { ...logged, ...details }, after)).toBe(
          'recorded',
        );
      };
      const attempt = async (outcome: AttemptOutcome, state: SendingState) => {
        const lease = await claimApproval();
        await record(lease, outcome, state);
        return lease?.id ?? '';
      };
      const bounce = (deliveryId: string) => {
        const refusal = { at, code: '5.1.1', error: null, maskedRecipient: '…' };
        return store.bounces.recordBounce({ deliveryId }, 'ada@example.com', refusal);
      };
      const CHANGES = [
        { change: 'reopening', end: reopen, newMails: [] },
        { change: 'a refusal', end: () => decide('refused'), newMails: ['refused waiting'] },
      ] as const;

      beforeEach(async () => {
        referenceNumber = await submitApplication(store);
        changedAt = SUBMITTED_AT;
        await decide('approved', ADMIN);
      });

      it.each(
        (
          [
            { before: 'no attempt', outcome: null, state: 'waiting' },
            { before: 'an attempt to retry', outcome: 'retry', state: 'waiting' },
            { before: 'an unknown outcome', outcome: 'unknown', state: 'waiting' },
            { before: 'a permanent failure', outcome: 'dead', state: 'dead' },
            { before: 'an unknown last outcome', outcome: 'unknown', state: 'dead' },
            { before: 'a bounce', outcome: 'sent', state: 'dead' },
          ] as const
        ).flatMap((email) => CHANGES.map((change) => ({ ...email, ...change }))),
      )(
        'is settled by $change until an undo, whatever happened before: $before',
        async ({ outcome, state, end, newMails }) => {
          if (outcome === 'sent') await bounce(await attempt('sent', 'sent'));
          else if (outcome !== null) await attempt(outcome, state);
          const { deadDeliveries, waitingDeliveries } = await store.records.counts(0);
          expect(await mails()).toEqual([`approved ${state}`]);
          await end();
          expect(await mails()).toEqual(['approved settled', ...newMails]);
          expect((await store.records.counts(0)).deadDeliveries).toBe(0);
          expect(await store.bounces.retryFailed(referenceNumber, LATER)).toEqual([]);
          expect(await claimApproval()).toBeUndefined();
          await undo();
          expect(await mails()).toEqual([`approved ${state}`]);
          expect(await store.records.counts(0)).toMatchObject({ deadDeliveries, waitingDeliveries });
          await reopen();
          await decide('approved');
          expect(await mails()).toEqual(['approved settled', 'approved:2 waiting']);
        },
      );

      it.each(CHANGES)(
        'that was sent stays sent after $change, and is settled only by a later bounce',
        async ({ end, newMails }) => {
          const id = await attempt('sent', 'sent');
          await end();
          expect(await mails()).toEqual(['approved sent', ...newMails]);
          const { sentDeliveries } = await store.records.counts(0);
          expect(await bounce(id)).toBe('bounced');
          expect(await mails()).toEqual(['approved settled', ...newMails]);
          const counted = { sentDeliveries: sentDeliveries - 1, deadDeliveries: 0 };
          expect(await store.records.counts(0)).toMatchObject(counted);
          const correction = { referenceNumber, email: 'ada@example.org', confirmation: null };
          expect(await store.bounces.correctAddress(correction, LATER)).toEqual({ kind: 'not-bounced' });
          await undo();
          expect(await mails()).toEqual(['approved dead']);
          expect((await store.records.counts(0)).deadDeliveries).toBe(1);
        },
      );

      it.each(
        CHANGES.flatMap((change) => [
          { ...change, outcome: 'retry', state: 'waiting' } as const,
          { ...change, outcome: 'dead', state: 'dead' } as const,
        ]),
      )(
        'that is being sent is not sent again after $change, even with the outcome $outcome',
        async ({ end, newMails, outcome, state }) => {
          const lease = await claimApproval();
          await end();
          expect(await mails()).toEqual(['approved leased', ...newMails]);
          await record(lease, outcome, state);
          expect((await store.records.counts(0)).deadDeliveries).toBe(0);
          expect(await claimApproval()).toBeUndefined();
          expect(await mails()).toEqual(['approved settled', ...newMails]);
          await undo();
          expect(await mails()).toEqual(['approved waiting']);
          expect(await claimApproval()).toMatchObject({ referenceNumber });
        },
      );

      it('is followed by the one about the next decision, even if the clock was ahead at the reopening', async () => {
        const ahead = { ...ADMIN, at: at + 86_400_000 };
        await expectChanged(store.records.reopen({ ...currentState(), kind, ...reopenReason }, ahead));
        await decide('approved');
        expect(await claimApproval(at + UNDO_MS)).toMatchObject({ event: 'card-application.approved:2' });
      });

      it('is still sent once the card is issued', async () => {
        const decision = { ...currentState(), decision: 'card-issued', reason: null } as const;
        await expectChanged(store.records.decideApplication(decision, LATER));
        expect(await claimApproval()).toMatchObject({ referenceNumber });
      });
    });

    it('without the votes and the reason of the decision, which an undo restores', async () => {
      await addReviewers(store, 'one', 'two');
      const confirmBy = ADMIN.at + 1;
      const referenceNumber = await submitLoan(store, { confirmationDigest: 'digest', confirmBy });
      const kind = 'loan-application';
      for (const adminId of ['one', 'two']) {
        const { changedAt } = (await readStoredRecord(kind, referenceNumber)).record;
        const voteInput = { referenceNumber, vote: 'refuse', reason: 'No.', changedAt } as const;
        await store.records.vote(voteInput, { ...ADMIN, adminId });
      }
      const { record, votes } = await readStoredRecord(kind, referenceNumber);
      const reopenInput = { referenceNumber, changedAt: record.changedAt, kind, ...reopenReason } as const;
      const outcome = await store.records.reopen(reopenInput, ADMIN);
      if (outcome.kind !== 'decided') throw new Error(outcome.kind);
      const reopenedLoan = await readStoredRecord(kind, referenceNumber);
      expect(reopenedLoan).toMatchObject({
        votes: [],
        record: { status: 'in-review', refusalReason: null, confirmBy: null },
      });
      expect(await store.retention.unconfirmedApplicationsDue(confirmBy)).toEqual([]);
      await store.records.undo({ referenceNumber, changedAt: outcome.changedAt }, ADMIN);
      expect(await readStoredRecord(kind, referenceNumber)).toMatchObject({
        votes,
        record: { status: 'refused', refusalReason: 'No.', confirmBy },
      });
    });
  });
});
