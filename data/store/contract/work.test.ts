// @module-tag slow
import { describe, expect, it } from 'vitest';
import { LIST_OF_KIND } from '../../model/admin-lists.ts';
import { TRACKABLE_KINDS } from '../../model/submission-status.ts';
import { dueTime } from '../../model/work.ts';
import type { Actor, ListQuery } from '../record-port.ts';
import { adminAudit } from '../testing/sample-admins.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import { sampleAnswer } from '../testing/sample-messages.ts';
import {
  FIRST_PAGE,
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { store, useAppStore } from '../testing/test-stores.ts';

const HOUR_MS = 3_600_000;
const actorAt = (at: number): Actor => ({ adminId: 'one', address: '::1', at });
const ACTOR = actorAt(SUBMITTED_AT + HOUR_MS);

describe('work', () => {
  useAppStore();

  const assign = (referenceNumber: string, assigneeId: string | null, from: string | null = null) =>
    store.records.assign({ referenceNumber, assigneeId, from }, ACTOR);
  const refuse = (referenceNumber: string) =>
    store.records.decideApplication(
      { referenceNumber, changedAt: SUBMITTED_AT, decision: 'refused', reason: 'No.' },
      ACTOR,
    );
  const listByDueTime = async (query: Partial<ListQuery> = {}) => {
    const page = { ...FIRST_PAGE, sort: 'dueAt', order: 'asc', ...query } as const;
    const { rows, total, next } = await store.records.list('applications', page);
    return { names: rows.map(({ name }) => name), total, next };
  };

  it('lists the records that wait for the team by due time, then the other records, newest first', async () => {
    const at = (hours: number) => ({ createdAt: SUBMITTED_AT + hours * HOUR_MS });
    await submitApplication(store, { name: 'second', ...at(2) });
    const old = await submitApplication(store, { name: 'done long ago' });
    await submitApplication(store, { name: 'first', ...at(1) });
    const recent = await submitApplication(store, { name: 'done' });
    await refuse(old);
    await refuse(recent);
    const all = await listByDueTime();
    expect(all.names.slice(0, 2)).toEqual(['first', 'second']);
    expect(all.names.slice(2).toSorted()).toEqual(['done', 'done long ago']);
    const first = await listByDueTime({ limit: 1 });
    // The next page continues where the first page ended, even if the last record of the first page was decided in the
    // meantime.
    const { rows } = await store.records.list('applications', { ...FIRST_PAGE, search: 'first' });
    const { referenceNumber = '', changedAt = 0 } = rows[0] ?? {};
    await store.records.decideApplication(
      { referenceNumber, changedAt, decision: 'refused', reason: 'No.' },
      actorAt(SUBMITTED_AT + 3 * HOUR_MS),
    );
    expect((await listByDueTime({ limit: 1, after: first.next })).names).toEqual(['second']);
  });

  it('is due at the promised time until it is decided', async () => {
    const referenceNumber = await submitApplication(store);
    const dueAt = async () => (await store.records.record(referenceNumber))?.record.dueAt;
    expect(await dueAt()).toBe(dueTime('card-application', {}, SUBMITTED_AT));
    await refuse(referenceNumber);
    expect(await dueAt()).toBeNull();
  });

  it('can be filtered by assignee and due time, with any sort order', async () => {
    await addReviewers(store, 'one', 'two');
    await assign(await submitApplication(store, { name: 'mine' }), 'one');
    await submitApplication(store, { name: 'late', createdAt: SUBMITTED_AT - HOUR_MS });
    const done = await submitApplication(store, { name: 'done' });
    await assign(done, 'two');
    await refuse(done);
    const dueBefore = dueTime('card-application', {}, SUBMITTED_AT);
    for (const sort of ['dueAt', 'name', 'createdAt']) {
      const findNames = async (query: Partial<ListQuery>) => {
        const { names, total } = await listByDueTime({ sort, ...query });
        expect(total).toBe(names.length);
        return names.toSorted();
      };
      expect(await findNames({ assigneeId: 'one' })).toEqual(['mine']);
      expect(await findNames({ assigneeId: null })).toEqual(['late']);
      expect(await findNames({ dueBefore })).toEqual(['late']);
      expect(await findNames({ dueBefore: Number.POSITIVE_INFINITY })).toEqual(['late', 'mine']);
      expect(await findNames({ dueBefore: Number.POSITIVE_INFINITY, assigneeId: 'two' })).toEqual([]);
      expect(await findNames({ assigneeId: 'one', search: 'mine' })).toEqual(['mine']);
      expect(await findNames({ assigneeId: 'one', search: 'late' })).toEqual([]);
    }
  });

  it('of all kinds is listed together by due time, and is counted by kind', async () => {
    await addReviewers(store, 'one');
    const loan = await submitLoan(store);
    const message = await submitMessage(store, { category: 'technical', subject: 'Help' });
    const request = await submitRequest(store);
    const application = await submitApplication(store);
    await refuse(await submitApplication(store));
    await assign(message, 'one');
    const { rows: work } = await store.records.workQueue({}, { limit: 10, after: null });
    expect(work.map(({ referenceNumber }) => referenceNumber).slice(0, 2)).toEqual([message, application]);
    expect(new Set(work.slice(2).map(({ referenceNumber }) => referenceNumber))).toEqual(
      new Set([request, loan]),
    );
    expect(work[0]).toEqual({
      kind: 'contact-message',
      referenceNumber: message,
      name: 'Ada Lovelace',
      subject: 'Help',
      status: 'open',
      assigneeId: 'one',
      assignee: 'one',
      dueAt: dueTime('contact-message', { category: 'technical' }, SUBMITTED_AT),
      createdAt: SUBMITTED_AT,
      changedAt: SUBMITTED_AT,
    });
    const first = await store.records.workQueue({ assigneeId: null }, { limit: 1, after: null });
    expect(first.rows).toMatchObject([{ referenceNumber: application }]);
    // Each page continues where the previous page ended, even between two kinds or among records that are due at the same time.
    const pagedReferences: string[] = [];
    for (let after: string | null = null, more = true; more; more = after !== null) {
      const page = await store.records.workQueue({}, { limit: 1, after });
      pagedReferences.push(...page.rows.map(({ referenceNumber }) => referenceNumber));
      after = page.next;
    }
    expect(pagedReferences).toEqual(work.map(({ referenceNumber }) => referenceNumber));
    const mine = await store.records.workCounts({ assigneeId: 'one' });
    expect(mine).toMatchObject({ 'contact-message': 1, 'card-application': 0 });
    const overdue = await store.records.workCounts({ dueBefore: SUBMITTED_AT + 30 * HOUR_MS });
    expect(overdue).toMatchObject({ 'contact-message': 1, 'card-application': 1, 'loan-application': 0 });
  });

  it('can be assigned to an admin who may decide, or to nobody, with an audit record', async () => {
    await addReviewers(store, 'one', 'two');
    await addReviewers(store, 'gone', 'watcher');
    await store.admins.disable('gone', adminAudit('admin.disabled'));
    await store.admins.changeRole('watcher', 'viewer', adminAudit('admin.role-changed'));
    const referenceNumber = await submitLoan(store);
    for (const id of ['gone', 'watcher', 'nobody-has-this-id']) {
      expect(await assign(referenceNumber, id)).toEqual({ kind: 'no-reviewer' });
    }
    expect(await assign('BD-20260102-999999', 'one')).toEqual({ kind: 'unknown' });
    expect(await assign(referenceNumber, 'two')).toEqual({ kind: 'assigned' });
    expect((await store.auditTrail(1))[0]).toMatchObject({
      action: 'record.assigned',
      actor: 'one',
      details: { referenceNumber, from: null, to: 'two' },
    });
    // A second admin tries to take the record.
    expect(await assign(referenceNumber, 'one')).toEqual({ kind: 'changed', assignee: 'two' });
    expect(await assign(referenceNumber, null, 'two')).toEqual({ kind: 'assigned' });
    expect((await store.records.record(referenceNumber))?.record).toMatchObject({ assignee: null });
  });

  it('becomes unassigned when its admin may no longer decide', async () => {
    await addReviewers(store, 'one', 'two');
    const [first, second] = [await submitLoan(store), await submitMessage(store)];
    await assign(first, 'one');
    await assign(second, 'two');
    await store.admins.disable('one', adminAudit('admin.disabled'));
    await store.admins.changeRole('two', 'viewer', adminAudit('admin.role-changed'));
    for (const reference of [first, second]) {
      expect((await store.records.record(reference))?.record.assigneeId).toBeNull();
    }
  });

  describe('a record that waits for the applicant', () => {
    const SUBMIT_BY_KIND = {
      'card-application': submitApplication,
      'verification-request': submitRequest,
      'loan-application': submitLoan,
    };
    const ask = (referenceNumber: string, at: number, after: string | null = null) =>
      store.conversations.reply(
        { referenceNumber, kind: 'question', subject: 'Your stake', text: 'Which wallet?', after, files: [] },
        actorAt(at),
      );
    const record = async (referenceNumber: string) =>
      (await store.records.record(referenceNumber))?.record ?? expect.fail('There is no such record.');
    const listDue = async () =>
      (await store.records.workQueue({}, { limit: 9, after: null })).rows.map(
        ({ referenceNumber, dueAt }) => [referenceNumber, dueAt],
      );

    it.each(TRACKABLE_KINDS)(
      'is not due before the answer, and then has the remaining time: a %s',
      async (kind) => {
        const referenceNumber = await SUBMIT_BY_KIND[kind](store);
        const { dueAt } = await record(referenceNumber);
        if (dueAt === null) throw new Error('The record has no due time.');
        await ask(referenceNumber, dueAt - 3 * HOUR_MS);
        expect(await record(referenceNumber)).toMatchObject({ dueAt: null, isWaiting: true });
        expect(await listDue()).toEqual([]);
        await store.conversations.receive(
          sampleAnswer(referenceNumber, {
            kind: 'automatic-answer',
            mailId: 'a',
            at: dueAt,
            notifies: false,
          }),
        );
        expect(await record(referenceNumber)).toMatchObject({ dueAt: null, isWaiting: true });
        const answeredAt = dueAt + 100 * HOUR_MS;
        await store.conversations.receive(sampleAnswer(referenceNumber, { at: answeredAt }));
        expect(await record(referenceNumber)).toMatchObject({
          dueAt: answeredAt + 3 * HOUR_MS,
          isWaiting: false,
        });
        expect(await listDue()).toEqual([[referenceNumber, answeredAt + 3 * HOUR_MS]]);
      },
    );

    it.each(TRACKABLE_KINDS)('is found by the filter until the team ends the waiting: a %s', async (kind) => {
      const [referenceNumber, other] = [await SUBMIT_BY_KIND[kind](store), await SUBMIT_BY_KIND[kind](store)];
      const list = LIST_OF_KIND[kind];
      const waiting = async () => {
        const query = { ...FIRST_PAGE, filters: { waiting: 'applicant' } };
        const { rows, total } = await store.records.list(list, query);
        return [total, ...rows.map((row) => row.referenceNumber)];
      };
      expect(await waiting()).toEqual([0]);
      const { dueAt } = await record(referenceNumber);
      await ask(referenceNumber, Number(dueAt) - 2 * HOUR_MS);
      expect(await waiting()).toEqual([1, referenceNumber]);
      expect(await store.records.endWaiting(other, actorAt(0))).toEqual({ kind: 'not-waiting' });
      expect(await store.records.endWaiting('BD-20260102-999999', actorAt(0))).toEqual({ kind: 'unknown' });
      const at = Number(dueAt) + 30 * HOUR_MS;
      const ended = { kind: 'ended', dueAt: at + 2 * HOUR_MS };
      expect(await store.records.endWaiting(referenceNumber, actorAt(at))).toEqual(ended);
      expect(await record(referenceNumber)).toMatchObject({ dueAt: at + 2 * HOUR_MS, isWaiting: false });
      expect(await waiting()).toEqual([0]);
      expect((await store.auditTrail(1))[0]).toMatchObject({
        action: 'record.waiting-ended',
        details: { referenceNumber },
      });
    });

    it('keeps the time that was left at the first question, and stays overdue if it was overdue then', async () => {
      const referenceNumber = await submitApplication(store);
      const { dueAt } = await record(referenceNumber);
      const [askedAt, answeredAt] = [Number(dueAt) + HOUR_MS, Number(dueAt) + 50 * HOUR_MS];
      const first = await ask(referenceNumber, askedAt);
      await ask(referenceNumber, askedAt + HOUR_MS, first.kind === 'sent' ? first.message.id : null);
      await store.conversations.receive(sampleAnswer(referenceNumber, { at: answeredAt }));
      expect(await record(referenceNumber)).toMatchObject({ dueAt: answeredAt - HOUR_MS, isWaiting: false });
    });

    it('keeps its decision, which cannot be undone once an answer has arrived', async () => {
      const referenceNumber = await submitApplication(store);
      await ask(referenceNumber, SUBMITTED_AT + HOUR_MS / 2);
      await refuse(referenceNumber);
      const { changedAt } = await record(referenceNumber);
      await store.conversations.receive(sampleAnswer(referenceNumber, { at: ACTOR.at + 1 }));
      const undoRequest = { referenceNumber, changedAt };
      expect(await store.records.undo(undoRequest, actorAt(ACTOR.at + 2))).toEqual({ kind: 'changed' });
      expect(await record(referenceNumber)).toMatchObject({ status: 'refused' });
    });

    it('waits as before after an undo, even if the team ended the waiting after the decision', async () => {
      const referenceNumber = await submitApplication(store);
      await ask(referenceNumber, SUBMITTED_AT + HOUR_MS);
      const before = await record(referenceNumber);
      const review = {
        referenceNumber,
        changedAt: before.changedAt,
        decision: 'in-review',
        reason: null,
      } as const;
      const decided = await store.records.decideApplication(review, actorAt(ACTOR.at));
      if (decided.kind !== 'decided') throw new Error(decided.kind);
      await store.records.endWaiting(referenceNumber, actorAt(ACTOR.at + 1));
      await store.records.undo({ referenceNumber, changedAt: decided.changedAt }, actorAt(ACTOR.at + 2));
      expect(await record(referenceNumber)).toEqual({ ...before, changedAt: expect.any(Number) });
    });

    it('no longer waits once it is decided', async () => {
      const referenceNumber = await submitApplication(store);
      await ask(referenceNumber, SUBMITTED_AT + HOUR_MS);
      await refuse(referenceNumber);
      expect(await record(referenceNumber)).toMatchObject({
        status: 'refused',
        dueAt: null,
        isWaiting: false,
      });
      await ask(
        referenceNumber,
        SUBMITTED_AT + 2 * HOUR_MS,
        (await store.conversations.messagesOf(referenceNumber)).at(-1)?.id,
      );
      expect(await record(referenceNumber)).toMatchObject({ isWaiting: false });
    });
  });

  describe('on contact messages', () => {
    const changeStatus = async (
      referenceNumber: string,
      status: 'open' | 'waiting' | 'answered' | 'closed',
      more = {},
    ) => {
      const stored = await store.records.record(referenceNumber);
      const { changedAt = 0 } = stored?.record ?? {};
      return store.records.decideContact(
        { referenceNumber, changedAt, status, reason: null, ...more },
        actorAt(SUBMITTED_AT + 2 * HOUR_MS),
      );
    };
    const message = async (referenceNumber: string) => (await store.records.record(referenceNumber))?.record;

    it('waits for the team only while the message is open, and is counted by state', async () => {
      const referenceNumber = await submitMessage(store);
      for (const status of ['waiting', 'answered', 'closed'] as const) {
        expect(await changeStatus(referenceNumber, status)).toMatchObject({ kind: 'decided', status });
        expect(await message(referenceNumber)).toMatchObject({ status, dueAt: null });
        expect((await store.records.counts(0)).contacts).toMatchObject({ open: 0, [status]: 1 });
      }
      const query = { ...FIRST_PAGE, filters: { status: 'closed' } };
      expect(await store.records.list('contacts', query)).toMatchObject({ total: 1, isTotalExact: true });
      expect(await message(referenceNumber)).toMatchObject({ closedAt: SUBMITTED_AT + 2 * HOUR_MS });
    });

    it('begins again when a closed message is reopened, which requires a reason', async () => {
      const referenceNumber = await submitMessage(store, { category: 'technical' });
      await changeStatus(referenceNumber, 'closed');
      expect(await changeStatus(referenceNumber, 'answered')).toMatchObject({ kind: 'closed' });
      expect(await changeStatus(referenceNumber, 'open')).toEqual({ kind: 'reason-needed' });
      expect(await changeStatus(referenceNumber, 'open', { reason: 'She called.' })).toMatchObject({
        kind: 'decided',
      });
      const reopenedAt = SUBMITTED_AT + 2 * HOUR_MS;
      expect(await message(referenceNumber)).toMatchObject({
        status: 'open',
        closedAt: null,
        dueAt: dueTime('contact-message', { category: 'technical' }, reopenedAt),
      });
      const stored = await store.records.record(referenceNumber);
      expect(stored?.decisions.at(-1)).toMatchObject({ decision: 'open', reason: 'She called.' });
      expect((await store.auditTrail(1))[0]).toMatchObject({
        action: 'contact-message.open',
        details: { referenceNumber, from: 'closed' },
      });
    });

    it('is not changed by an admin who saw an older state', async () => {
      const referenceNumber = await submitMessage(store);
      await changeStatus(referenceNumber, 'answered');
      expect(await changeStatus(referenceNumber, 'closed', { changedAt: SUBMITTED_AT })).toMatchObject({
        kind: 'changed',
        status: 'answered',
      });
    });
  });
});
