import { beforeEach, describe, expect, it } from 'vitest';
import type { LoanVote } from '../../model/submission-status.ts';
import type { CardTier } from '../../model/tiers.ts';
import type { Actor, VoteOutcome } from '../record-port.ts';
import { addReviewers, operatorAudit, submitLoan } from '../testing/sample-loans.ts';
import { addSampleNote } from '../testing/sample-messages.ts';
import {
  SUBMITTED_AT,
  sampleRequest,
  submitApplication,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { decisionDeliveries, readStoredRecord } from '../testing/stored-records.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const ADMIN: Actor = { adminId: 'admin-1', address: '192.0.2.1', at: SUBMITTED_AT + 60_000 };

describe('decisions', () => {
  useAppStore();

  describe('on a card application', () => {
    it('are recorded, audited, and reported to the applicant', async () => {
      const referenceNumber = await submitApplication(store);
      const refusal = { decision: 'refused', reason: 'Too young.' } as const;
      const decisionInput = { referenceNumber, changedAt: SUBMITTED_AT, ...refusal };
      const outcome = await store.records.decideApplication(decisionInput, ADMIN);
      expect(outcome).toEqual({ kind: 'decided', status: 'refused', changedAt: ADMIN.at });
      const application = await readStoredRecord('card-application', referenceNumber);
      expect(application.record.status).toBe('refused');
      const event = { at: ADMIN.at, status: 'refused', note: 'Too young.' };
      expect(application.timeline.at(-1)).toEqual(event);
      expect(application.decisions).toEqual([{ at: ADMIN.at, by: 'admin-1', ...refusal }]);
      expect(decisionDeliveries(application)).toMatchObject([
        { event: 'card-application.refused', channel: 'mail', audience: 'applicant', state: 'waiting' },
      ]);
      const status = await store.submissions.timelineOf(referenceNumber, 'ada@example.com');
      expect(status?.events.at(-1)).toEqual(event);
      const [audited] = await store.auditTrail(1);
      expect(audited).toMatchObject({ action: 'card-application.refused', actor: 'admin-1' });
      expect(JSON.stringify(audited)).not.toContain('Too young');
    });

    it('are refused when another admin decided on the same state first', async () => {
      const referenceNumber = await submitApplication(store);
      const decisionInput = { referenceNumber, changedAt: SUBMITTED_AT, reason: null };
      const outcomes = [
        await store.records.decideApplication({ ...decisionInput, decision: 'approved' }, ADMIN),
        await store.records.decideApplication(
          { ...decisionInput, decision: 'in-review' },
          { ...ADMIN, adminId: 'admin-2' },
        ),
      ];
      const last = { by: 'admin-1', decision: 'approved', at: ADMIN.at };
      expect(outcomes).toMatchObject([
        { kind: 'decided', status: 'approved' },
        { kind: 'changed', status: 'approved', last },
      ]);
      expect((await readStoredRecord('card-application', referenceNumber)).decisions).toHaveLength(1);
    });

    it('follow the order of the statuses, even when the clock goes back', async () => {
      const referenceNumber = await submitApplication(store);
      let changedAt = SUBMITTED_AT;
      for (const decision of ['in-review', 'approved', 'card-issued'] as const) {
        const decisionInput = { referenceNumber, changedAt, decision, reason: null };
        const outcome = await store.records.decideApplication(decisionInput, { ...ADMIN, at: SUBMITTED_AT });
        if (outcome.kind !== 'decided') throw new Error(`The outcome was ${outcome.kind}.`);
        expect(outcome.changedAt).toBeGreaterThan(changedAt);
        changedAt = outcome.changedAt;
      }
      const secondApproval = { referenceNumber, changedAt, decision: 'approved', reason: null } as const;
      expect(await store.records.decideApplication(secondApproval, ADMIN)).toMatchObject({ kind: 'closed' });
      const unknownInput = { ...secondApproval, referenceNumber: 'BD-1' };
      expect(await store.records.decideApplication(unknownInput, ADMIN)).toEqual({ kind: 'unknown' });
    });
  });

  describe('on a verification request', () => {
    it('whitelist the wallet for a tier when the request is approved', async () => {
      const referenceNumber = await submitRequest(store);
      const { walletAddress } = sampleRequest();
      const approval = { decision: 'approved', tier: 'Banker', reason: null } as const;
      const decisionInput = { referenceNumber, changedAt: SUBMITTED_AT, ...approval };
      const outcome = await store.records.decideRequest(decisionInput, ADMIN);
      expect(outcome).toMatchObject({ kind: 'decided', walletAddress });
      expect(await store.sessions.whitelistedTier(walletAddress)).toBe('Banker');
      expect(await store.sessions.provenWallets()).toEqual(new Set([walletAddress]));
      const request = await readStoredRecord('verification-request', referenceNumber);
      expect(request.whitelisting).toEqual({ tier: 'Banker', referenceNumber });
      expect(decisionDeliveries(request)).toMatchObject([{ event: 'verification-request.approved' }]);
      expect(await store.records.decideRequest(decisionInput, ADMIN)).toMatchObject({ kind: 'changed' });
    });

    it('give no tier once that tier no longer exists', async () => {
      const referenceNumber = await submitRequest(store);
      const formerTier: string = 'Emperor';
      const approval = { decision: 'approved', tier: formerTier as CardTier, reason: null } as const;
      await store.records.decideRequest({ referenceNumber, changedAt: SUBMITTED_AT, ...approval }, ADMIN);
      expect(await store.sessions.whitelistedTier(sampleRequest().walletAddress)).toBeNull();
    });

    it('whitelist nothing when the request is refused', async () => {
      const referenceNumber = await submitRequest(store);
      const refusal = { decision: 'refused', reason: 'No stake.' } as const;
      await store.records.decideRequest({ referenceNumber, changedAt: SUBMITTED_AT, ...refusal }, ADMIN);
      expect(await store.sessions.whitelistedTier(sampleRequest().walletAddress)).toBeNull();
      expect(await store.submissions.find('verification-request', referenceNumber)).toMatchObject({
        status: 'refused',
        refusalReason: 'No stake.',
      });
    });
  });

  describe('on a loan application', () => {
    let referenceNumber: string;
    let changedAt: number;
    beforeEach(async () => {
      await addReviewers(store, 'grace', 'alan', 'barbara');
      referenceNumber = await submitLoan(store);
      changedAt = SUBMITTED_AT;
    });

    async function vote(adminId: string, loanVote: LoanVote): Promise<VoteOutcome> {
      const outcome = await store.records.vote(
        { referenceNumber, changedAt, vote: loanVote, reason: loanVote === 'refuse' ? 'No papers.' : null },
        { ...ADMIN, adminId, at: changedAt + 1_000 },
      );
      if ('changedAt' in outcome) ({ changedAt } = outcome);
      return outcome;
    }
    const readLoan = () => readStoredRecord('loan-application', referenceNumber);

    it('need two matching votes from different admins', async () => {
      expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting', status: 'in-review' });
      expect(decisionDeliveries(await readLoan())).toEqual([]);
      expect(await vote('alan', 'approve')).toMatchObject({ kind: 'decided', status: 'approved' });
      const decidedLoan = await readLoan();
      const approved = { status: 'approved', decidedAt: SUBMITTED_AT + 2_000, refusalReason: null };
      expect(decidedLoan.record).toMatchObject(approved);
      expect(decidedLoan.timeline.map(({ status }) => status)).toEqual(['received', 'in-review', 'approved']);
      expect(decisionDeliveries(decidedLoan)).toMatchObject([
        { event: 'loan-application.approved', audience: 'applicant' },
      ]);
      expect(decidedLoan.decisions.map(({ by, decision }) => [by, decision])).toEqual([
        ['grace', 'approve'],
        ['alan', 'approve'],
        ['alan', 'approved'],
      ]);
      expect(await vote('barbara', 'refuse')).toMatchObject({ kind: 'closed', status: 'approved' });
    });

    it('count only the latest vote of each admin', async () => {
      expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting' });
      expect(await vote('grace', 'approve')).toMatchObject({ kind: 'waiting' });
      expect(await vote('grace', 'refuse')).toMatchObject({ kind: 'waiting' });
      const { votes, record } = await readLoan();
      expect(votes).toMatchObject([{ adminId: 'grace', decision: 'refuse' }]);
      expect(record.status).toBe('in-review');
    });

    it('start over when two votes contradict each other', async () => {
      await vote('grace', 'approve');
      expect(await vote('alan', 'refuse')).toMatchObject({ kind: 'contradicted', status: 'in-review' });
      const contradicted = await readLoan();
      expect(contradicted.votes).toEqual([]);
      expect(decisionDeliveries(contradicted)).toEqual([]);
      await vote('alan', 'refuse');
      expect(await vote('grace', 'refuse')).toMatchObject({ kind: 'decided', status: 'refused' });
      const { record, timeline } = await readLoan();
      expect(record).toMatchObject({ refusalReason: 'No papers.' });
      expect(timeline.at(-1)).toMatchObject({ status: 'refused', note: 'No papers.' });
    });

    it.each([
      ['was deactivated', () => store.admins.disable('grace', operatorAudit('admin.disabled'))],
      [
        'may only view now',
        () => store.admins.changeRole('grace', 'viewer', operatorAudit('admin.role-changed')),
      ],
    ])('ignore the vote of an admin who %s', async (_case, change) => {
      await vote('grace', 'approve');
      await change();
      expect((await readLoan()).votes).toEqual([]);
      expect(await vote('alan', 'approve')).toMatchObject({ kind: 'waiting', status: 'in-review' });
    });

    it('refuse a vote based on a state that another vote has changed', async () => {
      const voteInput = { referenceNumber, changedAt: SUBMITTED_AT, vote: 'approve', reason: null } as const;
      const first = await store.records.vote(voteInput, { ...ADMIN, adminId: 'grace' });
      expect(first).toMatchObject({ kind: 'waiting' });
      // Alan votes on the old state. Grace, who has already voted, does the same in another tab.
      for (const adminId of ['alan', 'grace']) {
        const next = await store.records.vote(voteInput, { ...ADMIN, adminId });
        expect(next).toMatchObject({ kind: 'changed', last: { by: 'grace', decision: 'approve' } });
      }
      expect((await readLoan()).record.status).toBe('in-review');
    });
  });
});

describe('notes on a record', () => {
  useAppStore();

  it('can be changed and removed by their authors, and keep the earlier texts', async () => {
    const referenceNumber = await submitApplication(store);
    const notes = async () => (await readStoredRecord('card-application', referenceNumber)).notes;
    const id = await addSampleNote(store, { referenceNumber, text: 'First.' }, ADMIN);
    const change = (seen: string, text: string | null, actor = ADMIN) =>
      store.records.changeNote({ noteId: id, seen, text }, actor);
    expect(await change('First.', 'Mine.', { ...ADMIN, adminId: 'admin-2' })).toBe('not-yours');
    expect(await change('Other.', 'Second.')).toBe('changed');
    expect(await change('First.', 'Second.', { ...ADMIN, at: ADMIN.at + 1 })).toBe('done');
    const first = { at: ADMIN.at, text: 'First.' };
    expect(await notes()).toMatchObject([
      {
        at: ADMIN.at,
        adminId: 'admin-1',
        text: 'Second.',
        changedAt: ADMIN.at + 1,
        removedAt: null,
        versions: [first],
      },
    ]);
    expect(await change('Second.', null, { ...ADMIN, at: ADMIN.at + 2 })).toBe('done');
    const versions = [first, { at: ADMIN.at + 1, text: 'Second.' }];
    expect(await notes()).toMatchObject([{ text: '', removedAt: ADMIN.at + 2, versions }]);
    expect(await change('', 'Third.')).toBe('unknown');
    const trail = await store.auditTrail(3);
    expect(trail.map(({ action }) => action)).toEqual(['note.removed', 'note.changed', 'note.added']);
    expect(JSON.stringify(trail)).not.toContain('Second');
  });

  it('name their author and never reach the applicant', async () => {
    const referenceNumber = await submitApplication(store);
    const note = await store.records.addNote({ referenceNumber, text: 'Called back.' }, ADMIN);
    expect(note).toMatchObject({ by: 'admin-1', text: 'Called back.', at: ADMIN.at });
    expect((await store.records.record(referenceNumber))?.notes).toEqual([note]);
    expect(await store.records.addNote({ referenceNumber: 'BD-1', text: 'x' }, ADMIN)).toBe('unknown');
    const status = await store.submissions.timelineOf(referenceNumber, 'ada@example.com');
    expect(JSON.stringify(status)).not.toContain('Called');
  });
});
