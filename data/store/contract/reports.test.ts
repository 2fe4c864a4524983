// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTimings, type DayFigures, dayOf, durationStep, sumCounts } from '../../model/reports.ts';
import { SUBMISSION_KINDS, type SubmissionKind } from '../../model/submission-status.ts';
import { promisedHours } from '../../model/work.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { DeliveryAttempt } from '../delivery-port.ts';
import type { AppStore } from '../ports.ts';
import { dayKey, splitByKind } from '../rules/report-figures.ts';
import { adminAudit, SIGNED_IN_AT, sampleAdmin } from '../testing/sample-admins.ts';
import { addReviewers, submitLoan } from '../testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  submitApplication,
  submitMessage,
  submitRequest,
} from '../testing/sample-submissions.ts';
import { openPrograms, openStores, PROPERTY_RUNS, store, useAppStore } from '../testing/test-stores.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_ONE = dayOf(SUBMITTED_AT);
const ALL_DAYS = [0, 1_000_000] as const;

async function catchUp({ reports }: Pick<AppStore, 'reports'>, now: number): Promise<void> {
  while (await reports.update(now));
}

type RecordAction =
  | {
      readonly kind: 'received';
      readonly of: SubmissionKind;
      readonly isTechnical: boolean;
      readonly elapsedMs: number;
    }
  | {
      readonly kind: 'reply' | 'decide' | 'settle' | 'reopen' | 'erase';
      readonly record: number;
      readonly elapsedMs: number;
    };

interface PlainRecord {
  readonly kind: SubmissionKind;
  readonly referenceNumber: string;
  readonly email: string;
  readonly receivedAt: number;
  readonly promisedHours: number;
  answeredAt: number | null;
  decidedAt: number | null;
  isOpen: boolean;
  isErased: boolean;
  /** Alternating times (Unix ms) at which the record began and stopped waiting for the team. */
  readonly turns: number[];
}

const anyAction: fc.Arbitrary<RecordAction> = fc.oneof(
  fc.record({
    kind: fc.constant('received' as const),
    of: fc.constantFrom(...SUBMISSION_KINDS),
    isTechnical: fc.boolean(),
    elapsedMs: fc.nat(20 * HOUR_MS),
  }),
  fc.record({
    kind: fc.constantFrom('reply', 'decide', 'settle', 'reopen', 'erase'),
    record: fc.nat(9),
    elapsedMs: fc.nat(50 * HOUR_MS),
  }),
);

async function submit(
  app: AppStore,
  { of: kind, isTechnical }: Extract<RecordAction, { kind: 'received' }>,
  at: number,
  email: string,
): Promise<PlainRecord> {
  const changes = { email, createdAt: at };
  const category = isTechnical ? ('technical' as const) : null;
  const referenceNumber =
    kind === 'card-application'
      ? await submitApplication(app, changes)
      : kind === 'contact-message'
        ? await submitMessage(app, { ...changes, category })
        : kind === 'loan-application'
          ? await submitLoan(app, changes)
          : await submitRequest(app, changes);
  return {
    ...{ kind, referenceNumber, email, receivedAt: at, promisedHours: promisedHours(kind, { category }) },
    ...{ answeredAt: null, decidedAt: null, isOpen: true, isErased: false, turns: [at] },
  };
}

/**
 * Applies a decision in the store and in the model. If `isSettling`, a card application is refused and a contact message is
 * set to `waiting`. Otherwise, an application is set to `in-review` and a message to `answered`. The other kinds are always
 * refused.
 */
async function decide(app: AppStore, record: PlainRecord, at: number, isSettling: boolean): Promise<void> {
  const { referenceNumber, kind } = record;
  const actor = { adminId: 'one', address: '::1', at };
  const changedAt = async () => (await app.records.record(referenceNumber))?.record.changedAt ?? 0;
  const decisionInput = { referenceNumber, changedAt: await changedAt() };
  const reason = 'No.';
  let isDecided = !isSettling || kind !== 'contact-message';
  if (kind === 'card-application') {
    const decision = isSettling ? ('refused' as const) : ('in-review' as const);
    isDecided = isSettling;
    const { kind: outcome } = await app.records.decideApplication(
      { ...decisionInput, decision, reason },
      actor,
    );
    if (outcome !== 'decided' || !isSettling) return;
  } else if (kind === 'verification-request') {
    const { kind: outcome } = await app.records.decideRequest(
      { ...decisionInput, decision: 'refused', reason },
      actor,
    );
    if (outcome !== 'decided') return;
  } else if (kind === 'contact-message') {
    const status = isSettling ? ('waiting' as const) : ('answered' as const);
    const { kind: outcome } = await app.records.decideContact({ ...decisionInput, status, reason }, actor);
    if (outcome !== 'decided') return;
  } else {
    await app.records.vote({ ...decisionInput, vote: 'refuse', reason }, actor);
    const second = { referenceNumber, changedAt: await changedAt(), vote: 'refuse' as const, reason };
    const { kind: outcome } = await app.records.vote(second, { ...actor, adminId: 'two' });
    if (outcome !== 'decided') return;
  }
  if (isDecided) {
    record.answeredAt ??= at;
    record.decidedAt ??= at;
  }
  if (record.isOpen) record.turns.push(at);
  record.isOpen = false;
}

async function applyAction(
  app: AppStore,
  records: PlainRecord[],
  action: RecordAction,
  at: number,
): Promise<void> {
  if (action.kind === 'received') {
    records.push(await submit(app, action, at, `${records.length}@example.com`));
    return;
  }
  const record = records[action.record];
  if (!record || record.isErased) return;
  const { referenceNumber, email } = record;
  switch (action.kind) {
    case 'reply': {
      const after = (await app.conversations.messagesOf(referenceNumber)).at(-1)?.id ?? null;
      const reply = {
        referenceNumber,
        kind: 'reply' as const,
        subject: 'Hello',
        text: 'Hello',
        after,
        files: [],
      };
      await app.conversations.reply(reply, { adminId: 'one', address: '::1', at });
      record.answeredAt ??= at;
      if (record.kind !== 'contact-message') break;
      record.decidedAt ??= at;
      if (record.isOpen) record.turns.push(at);
      record.isOpen = false;
      break;
    }
    case 'decide':
      await decide(app, record, at, false);
      break;
    case 'settle':
      await decide(app, record, at, true);
      break;
    case 'reopen': {
      if (record.kind !== 'contact-message') break;
      const { changedAt = 0 } = (await app.records.record(referenceNumber))?.record ?? {};
      const decision = { referenceNumber, changedAt, status: 'open' as const, reason: 'No.' };
      const actor = { adminId: 'one', address: '::1', at };
      const outcome = await app.records.decideContact(decision, actor);
      if (outcome.kind !== 'decided') break;
      if (!record.isOpen) record.turns.push(at);
      record.isOpen = true;
      break;
    }
    case 'erase':
      await app.erasures.erase({ email, walletAddress: null }, at, () => erasure(at));
      if (record.isOpen) record.turns.push(at);
      record.isOpen = false;
      record.isErased = true;
      break;
  }
}

const erasure = (at: number): AuditRecord => ({
  ...adminAudit('person.erased', { at }),
  id: crypto.randomUUID(),
});

function plainDay(records: readonly PlainRecord[], day: number, kind: SubmissionKind): DayFigures {
  const ofKind = records.filter((record) => record.kind === kind);
  const isOnDay = (at: number | null): at is number => at !== null && dayOf(at) === day;
  const timings = (endOf: (record: PlainRecord) => number | null) => {
    const ended = ofKind.flatMap((record) => {
      const end = endOf(record);
      return isOnDay(end)
        ? [{ took: end - record.receivedAt, promised: record.promisedHours * HOUR_MS }]
        : [];
    });
    return addTimings(
      ended.map(({ took, promised }) => ({
        ...{ records: 1, promisedCount: 1, withinPromiseCount: Number(took <= promised) },
        durations: [durationStep(took), 1],
      })),
    );
  };
  const turns = ofKind.flatMap((record) =>
    record.turns.map((at, turn) => ({ at, by: turn % 2 === 0 ? 1 : -1 })),
  );
  return {
    day,
    kind,
    received: ofKind.filter(({ receivedAt }) => isOnDay(receivedAt)).length,
    openChange: turns.filter(({ at }) => isOnDay(at)).reduce((sum, { by }) => sum + by, 0),
    answered: timings(({ answeredAt }) => answeredAt),
    decided: timings(({ decidedAt }) => decidedAt),
  };
}

it('the figures of reports equal those of a plain model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAction, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      fc.nat(30),
      async (actionList, updates, offset) => {
        const openedStores = await openStores();
        try {
          const app = await openedStores.openApp();
          await addReviewers(app, 'one', 'two');
          const records: PlainRecord[] = [];
          let at = SUBMITTED_AT;
          for (const [index, one] of actionList.entries()) {
            at += one.elapsedMs;
            await applyAction(app, records, one, at);
            // The portal does not store which erasure removed a record, so the reports are updated after each erasure.
            if (updates[index] || one.kind === 'erase') await catchUp(app, at);
          }
          await catchUp(app, at);
          const days = Array.from({ length: dayOf(at) - DAY_ONE + 1 }, (_, day) => DAY_ONE + day);
          const expectedFigures = days.flatMap((day) =>
            SUBMISSION_KINDS.map((kind) => plainDay(records, day, kind)),
          );
          const report = await app.reports.read(...ALL_DAYS);
          const figuresByKey = new Map(
            report.days.map((figures) => [dayKey(figures.day, figures.kind), figures]),
          );
          for (const figures of expectedFigures) {
            const empty = { ...plainDay([], figures.day, figures.kind) };
            expect(figuresByKey.get(dayKey(figures.day, figures.kind)) ?? empty).toEqual(figures);
          }
          const from = DAY_ONE + offset;
          const laterReport = await app.reports.read(from, ALL_DAYS[1]);
          expect(laterReport.days).toEqual(report.days.filter(({ day }) => day >= from));
          for (const kind of SUBMISSION_KINDS) {
            const before = expectedFigures.filter(({ day }) => day < from);
            expect(laterReport.openBefore[kind]).toBe(
              sumCounts(before.filter((one) => one.kind === kind)).openChange,
            );
          }
          const open = records.filter(({ isOpen }) => isOpen).length;
          expect(sumCounts(report.days).openChange).toBe(open);
          expect(report.firstDay).toBe(expectedFigures.find(({ received }) => received > 0)?.day ?? null);
        } finally {
          await openedStores.dispose();
        }
      },
    ),
    PROPERTY_RUNS,
  );
});

describe('reports', () => {
  useAppStore();

  it('add each record of the audit trail once, even if several programs update them', async () => {
    for (let count = 0; count < 6; count += 1) await submitMessage(store);
    const programs = await openPrograms(3);
    await Promise.all(programs.map((program) => catchUp(program, SUBMITTED_AT)));
    const { days } = await store.reports.read(...ALL_DAYS);
    expect(days).toEqual([expect.objectContaining({ kind: 'contact-message', received: 6, openChange: 6 })]);
  });

  it('count the wait for the applicant toward the time that a request took', async () => {
    const referenceNumber = await submitRequest(store);
    const actor = { adminId: 'one', address: '::1', at: SUBMITTED_AT + 1_000 };
    const question = { kind: 'question', subject: 'Stake', text: 'Which?', after: null, files: [] } as const;
    await store.conversations.reply({ referenceNumber, ...question }, actor);
    await catchUp(store, SUBMITTED_AT);
    const changedAt = (await store.records.record(referenceNumber))?.record.changedAt ?? 0;
    const decision = { referenceNumber, changedAt, decision: 'refused', reason: 'No.' } as const;
    await store.records.decideRequest(decision, { ...actor, at: SUBMITTED_AT + 10 * DAY_MS });
    await catchUp(store, SUBMITTED_AT);
    const { days } = await store.reports.read(...ALL_DAYS);
    expect(days.at(-1)?.decided).toMatchObject({ promisedCount: 1, withinPromiseCount: 0 });
  });

  it('count a record as open again after an undo, and after it was reopened', async () => {
    const referenceNumber = await submitRequest(store);
    const decide = async (changedAt: number, at: number) => {
      await store.records.decideRequest(
        { referenceNumber, changedAt, decision: 'refused', reason: 'No.' },
        { adminId: 'one', address: '::1', at },
      );
    };
    const changedAt = async () => (await store.records.record(referenceNumber))?.record.changedAt ?? 0;
    const openCount = async () => {
      await catchUp(store, SUBMITTED_AT + DAY_MS);
      const { days } = await store.reports.read(...ALL_DAYS);
      return days.reduce((sum, { openChange }) => sum + openChange, 0);
    };
    const decidedAt = SUBMITTED_AT + HOUR_MS;
    await decide(SUBMITTED_AT, decidedAt);
    expect(await openCount()).toBe(0);
    const actor = { adminId: 'one', address: '::1', at: decidedAt + 1_000 };
    await store.records.undo({ referenceNumber, changedAt: await changedAt() }, actor);
    expect(await openCount()).toBe(1);
    await decide(await changedAt(), decidedAt + HOUR_MS);
    expect(await openCount()).toBe(0);
    const reopenInput = {
      referenceNumber,
      changedAt: await changedAt(),
      kind: 'verification-request',
    } as const;
    await store.records.reopen(
      { ...reopenInput, reason: 'More.' },
      { ...actor, at: decidedAt + 2 * HOUR_MS },
    );
    expect(await openCount()).toBe(1);
    const undoInput = { referenceNumber, changedAt: await changedAt() };
    await store.records.undo(undoInput, { ...actor, at: decidedAt + 2 * HOUR_MS + 1_000 });
    expect(await openCount()).toBe(0);
  });

  it('count no promised time for a verification request that was erased before it was counted', async () => {
    const referenceNumber = await submitRequest(store);
    const actor = { adminId: 'one', address: '::1', at: SUBMITTED_AT + HOUR_MS };
    const decisionInput = {
      referenceNumber,
      changedAt: SUBMITTED_AT,
      decision: 'refused',
      reason: 'No.',
    } as const;
    await store.records.decideRequest(decisionInput, actor);
    const at = SUBMITTED_AT + 2 * HOUR_MS;
    await store.erasures.erase({ email: 'ada@example.com', walletAddress: null }, at, () => erasure(at));
    await catchUp(store, at);
    const { days } = await store.reports.read(...ALL_DAYS);
    expect(days[0]).toMatchObject({
      received: 1,
      decided: { records: 1, promisedCount: 0, withinPromiseCount: 0 },
    });
  });

  it('have no first day before the first record', async () => {
    await store.recordAudit(adminAudit('portal.started'));
    await catchUp(store, SUBMITTED_AT);
    expect(await store.reports.read(...ALL_DAYS)).toMatchObject({
      ...{ days: [], firstDay: null, deliveries: [], firstDeliveryDay: null },
      openBefore: { 'contact-message': 0 },
    });
  });
});

describe('deliveries in reports', () => {
  useAppStore();

  const attempt = (outcome: DeliveryAttempt['outcome'], at: number): DeliveryAttempt => ({
    ...{ at, outcome, providerId: null, code: null, error: null, maskedRecipient: '…', latencyMs: 1 },
  });
  const claim = (channel: 'mail' | 'telegram', at: number) =>
    store.deliveries.claimDue({ channel, now: at, leasedUntil: at + HOUR_MS, limit: 10 });

  it('are counted by channel on the day when they ended, whenever the reports are updated', async () => {
    await submitMessage(store);
    const [first, second] = await claim('mail', SUBMITTED_AT);
    const [notice] = await claim('telegram', SUBMITTED_AT);
    if (!first || !second || !notice) throw new Error('A message is missing.');
    await store.deliveries.recordAttempt(first, attempt('sent', SUBMITTED_AT), { state: 'sent' });
    const retryOutcome = { state: 'waiting', nextAttemptAt: SUBMITTED_AT + DAY_MS, counts: true } as const;
    await store.deliveries.recordAttempt(second, attempt('retry', SUBMITTED_AT), retryOutcome);
    await store.deliveries.recordAttempt(notice, attempt('unknown', SUBMITTED_AT), { state: 'dead' });
    const nextDay = SUBMITTED_AT + DAY_MS;
    const [retriedMail] = await claim('mail', nextDay);
    if (!retriedMail) throw new Error('The second attempt is missing.');
    await store.deliveries.recordAttempt(retriedMail, attempt('dead', nextDay), { state: 'dead' });
    const bounce = { at: nextDay, code: '5.1.1', error: 'Unknown', maskedRecipient: '…' };
    const applicants = first.audience === 'applicant' ? first : second;
    expect(await store.bounces.recordBounce({ deliveryId: applicants.id }, 'ada@example.com', bounce)).toBe(
      applicants === first ? 'bounced' : 'known',
    );
    const noCounts = { sent: 0, failed: 0, bounced: 0 };
    const kindOf = ({ audience }: typeof first) => (audience === 'applicant' ? 'receipt' : 'notice');
    const nextDayFields = { ...noCounts, day: DAY_ONE + 1, channel: 'mail' };
    const expectedRows = [
      { ...noCounts, day: DAY_ONE, kind: 'notice', channel: 'telegram', failed: 1 },
      { ...noCounts, day: DAY_ONE, kind: kindOf(first), channel: 'mail', sent: 1 },
      { ...nextDayFields, kind: kindOf(second), failed: 1, bounced: 0 },
      ...(applicants === first ? [{ ...nextDayFields, kind: 'receipt', bounced: 1 }] : []),
    ].toSorted((a, b) => a.day - b.day || a.kind.localeCompare(b.kind) || a.channel.localeCompare(b.channel));
    for (const now of [SUBMITTED_AT, nextDay, nextDay + DAY_MS, nextDay + 9 * DAY_MS]) {
      await catchUp(store, now);
      const { deliveries, firstDeliveryDay } = await store.reports.read(...ALL_DAYS);
      expect(deliveries).toEqual(expectedRows);
      expect(firstDeliveryDay).toBe(DAY_ONE);
    }
    expect((await store.reports.read(DAY_ONE + 1, DAY_ONE + 2)).deliveries).toEqual(expectedRows.slice(2));
  });

  it('are counted by kind, and as the kind "other" once the kind is no longer known', async () => {
    const referenceNumber = await submitApplication(store);
    const actor = { adminId: 'one', address: '::1', at: SUBMITTED_AT };
    const decisionInput = {
      referenceNumber,
      changedAt: SUBMITTED_AT,
      decision: 'refused',
      reason: 'No.',
    } as const;
    await store.records.decideApplication(decisionInput, actor);
    const reply = { referenceNumber, kind: 'reply', subject: 'Hello', text: 'Hello', after: null } as const;
    await store.conversations.reply({ ...reply, files: [] }, actor);
    await addReviewers(store, 'grace');
    const subscription = { adminId: 'grace', email: 'grace@example.com', requestedAt: SUBMITTED_AT };
    await store.reports.subscribe(subscription, adminAudit('weekly-report.requested'));
    const laterAt = SUBMITTED_AT + HOUR_MS;
    for (const mail of await claim('mail', laterAt)) {
      await store.deliveries.recordAttempt(mail, attempt('sent', laterAt), { state: 'sent' });
    }
    await catchUp(store, SUBMITTED_AT + 2 * DAY_MS);
    const { deliveries } = await store.reports.read(...ALL_DAYS);
    const sent = { day: DAY_ONE, channel: 'mail', sent: 1, failed: 0, bounced: 0 } as const;
    const kinds = ['decision', 'notice', 'receipt', 'reply', 'report'] as const;
    expect(deliveries).toEqual(kinds.map((kind) => ({ ...sent, kind })));
    const sums = [{ ...sent, sent: 7, failed: 1 }, { ...sent, channel: 'push' } as const];
    expect(splitByKind(sums, deliveries)).toEqual([
      ...deliveries,
      { ...sent, kind: 'other', sent: 2, failed: 1 },
      { ...sent, kind: 'other', channel: 'push' },
    ]);
  });
});

describe('the weekly report', () => {
  useAppStore();

  const WEEK_MONDAY = 20_451; // 2025-12-29, in days since 1970-01-01.
  const email = 'grace@example.com';
  const subscription = { adminId: 'grace', email, requestedAt: SIGNED_IN_AT };
  const subscribe = () => store.reports.subscribe(subscription, adminAudit('weekly-report.requested'));
  const uniqueAudit = (action: string) => ({ ...adminAudit(action), id: crypto.randomUUID() });
  const confirm = (requestedAt = SIGNED_IN_AT) =>
    store.reports.confirmSubscription(
      { ...subscription, requestedAt },
      WEEK_MONDAY,
      uniqueAudit('weekly-report.confirmed'),
    );
  const addAdmin = () => store.admins.add(sampleAdmin('grace', { email }), adminAudit('admin.added'));
  const queue = (week: number) => store.reports.queueWeeklyReports(week, SIGNED_IN_AT);
  const mails = async (reference: string) =>
    (await store.deliveries.deliveriesOf(reference)).map(({ event, channel, audience, recipient }) => ({
      ...{ event, channel, audience, recipient },
    }));
  const mail = { channel: 'mail', audience: 'team', recipient: email };

  it('is queued once a week for each admin with a confirmed address, and not for missed weeks', async () => {
    await addAdmin();
    await subscribe();
    expect(await mails(`grace.${SIGNED_IN_AT}`)).toEqual([{ ...mail, event: 'weekly-report.confirm' }]);
    expect(await queue(WEEK_MONDAY)).toBe(0);
    expect(await confirm(1)).toBe(false);
    expect(await confirm()).toBe(true);
    expect(await store.reports.subscription('grace')).toMatchObject({ email, confirmedAt: SIGNED_IN_AT });
    expect(await queue(WEEK_MONDAY - 7)).toBe(0);
    const programs = await openPrograms(3);
    const queued = await Promise.all(
      programs.map(({ reports }) => reports.queueWeeklyReports(WEEK_MONDAY, SIGNED_IN_AT)),
    );
    expect(queued.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await mails(`grace.${WEEK_MONDAY}`)).toEqual([{ ...mail, event: 'weekly-report.report' }]);
    expect(await queue(WEEK_MONDAY + 35)).toBe(1);
    expect(await queue(WEEK_MONDAY + 28)).toBe(0);
    expect(await mails(`grace.${WEEK_MONDAY + 28}`)).toEqual([]);
  });

  it('ends when the admin stops it, and when the account is deactivated', async () => {
    await addAdmin();
    await store.admins.add(sampleAdmin('ada', { role: 'owner' }), uniqueAudit('admin.added'));
    await subscribe();
    await confirm();
    expect(await store.reports.unsubscribe('grace', uniqueAudit('weekly-report.stopped'))).toBe(true);
    expect(await store.reports.unsubscribe('grace', uniqueAudit('weekly-report.stopped'))).toBe(false);
    expect(await queue(WEEK_MONDAY)).toBe(0);
    await store.reports.subscribe(
      { ...subscription, requestedAt: SIGNED_IN_AT + 1 },
      uniqueAudit('weekly-report.requested'),
    );
    expect(await confirm(SIGNED_IN_AT + 1)).toBe(true);
    await store.admins.disable('grace', uniqueAudit('admin.disabled'));
    await store.admins.enable('grace', uniqueAudit('admin.enabled'));
    expect(await store.reports.subscription('grace')).toBeNull();
    expect(await queue(WEEK_MONDAY)).toBe(0);
    const actions = (await store.auditTrail(20)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'weekly-report.stopped')).toHaveLength(1);
  });
});
