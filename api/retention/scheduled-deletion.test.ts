import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AppStore } from '../../data/store/ports.ts';
import { openNewApp } from '../../data/store/testing/new-stores.ts';
import {
  addReviewers,
  documentsOf,
  sampleDocuments,
  sampleLoan,
  submitLoan,
} from '../../data/store/testing/sample-loans.ts';
import {
  acceptedReference,
  SUBMITTED_AT,
  sampleOptions,
} from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { startDeletion } from './scheduled-deletion.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let store: AppStore;
let stop: () => Promise<void>;
let logged: { documents?: number }[];

beforeEach(async () => {
  store = await openNewApp(join(temporaryFolder(), 'app.db'));
  await addReviewers(store, 'one', 'two');
  logged = [];
  stop = async () => {};
});
afterEach(async () => {
  vi.useRealTimers();
  await stop();
  await store.close();
});

async function startAt(now: number): Promise<void> {
  vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const days = { documentRetentionDays: 90, messageRetentionDays: 365 };
  stop = startDeletion({ store, ...days, sweepLeftovers: () => ['a'], now: Date.now, log });
  await vi.waitUntil(() => logged.length === 1, { timeout: 60_000 });
}

async function refuseLoanAt(at: number): Promise<string> {
  const referenceNumber = acceptedReference(
    await store.submissions.submit('loan-application', sampleLoan(), sampleOptions(), sampleDocuments()),
  );
  let changedAt = SUBMITTED_AT;
  for (const adminId of ['one', 'two']) {
    const vote = { referenceNumber, changedAt, vote: 'refuse', reason: 'Too soon.' } as const;
    const outcome = await store.records.vote(vote, { adminId, address: '::1', at });
    if ('changedAt' in outcome) changedAt = outcome.changedAt;
  }
  return referenceNumber;
}
const countDocuments = async (reference: string) => (await documentsOf(store, reference)).length;

it('documents are deleted ninety days after the decision, by a check at startup and every hour', async () => {
  const decidedAt = Date.UTC(2026, 5, 1, 2, 41);
  const overdue = await refuseLoanAt(decidedAt - DAY_MS);
  const onTime = await refuseLoanAt(decidedAt);
  const later = await refuseLoanAt(decidedAt + 1);
  await startAt(decidedAt + 90 * DAY_MS - HOUR_MS);
  expect([await countDocuments(overdue), await countDocuments(onTime), await countDocuments(later)]).toEqual([
    0, 2, 2,
  ]);

  await vi.advanceTimersByTimeAsync(HOUR_MS);
  await vi.waitUntil(() => logged.length === 2, { timeout: 60_000 });
  expect([await countDocuments(onTime), await countDocuments(later)]).toEqual([0, 2]);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  await vi.waitUntil(() => logged.length === 3, { timeout: 60_000 });
  expect(await countDocuments(later)).toBe(0);
  expect(logged.map((line) => line.documents)).toEqual([2, 2, 2]);
  const deletionRecords = (await store.auditTrail(99)).filter(
    ({ action }) => action === 'loan-document.deleted',
  );
  expect(deletionRecords).toHaveLength(6);
});

it('documents of unconfirmed mailboxes are deleted after the deadline, by a check at startup and every hour', async () => {
  const confirmBy = Date.UTC(2026, 5, 1, 9, 41);
  const submit = (at: number) => submitLoan(store, { confirmBy: at, confirmationDigest: String(at) });
  const overdue = await submit(confirmBy - HOUR_MS);
  const onTime = await submit(confirmBy);
  const later = await submit(confirmBy + 1);
  await startAt(confirmBy - HOUR_MS);
  expect([await countDocuments(overdue), await countDocuments(onTime), await countDocuments(later)]).toEqual([
    0, 2, 2,
  ]);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  await vi.waitUntil(() => logged.length >= 2, { timeout: 60_000 });
  expect([await countDocuments(onTime), await countDocuments(later)]).toEqual([0, 2]);
});

it('documents of merged applications are deleted by the same check as those of the unconfirmed one', async () => {
  const confirmBy = SUBMITTED_AT + HOUR_MS;
  const seen = async () => ({
    referenceNumber: await submitLoan(store, { confirmBy }),
    changedAt: SUBMITTED_AT,
  });
  const [kept, merged] = [await seen(), await seen()];
  await store.records.merge({ kept, merged: [merged] }, { adminId: 'one', address: '::1', at: SUBMITTED_AT });
  await startAt(confirmBy);
  expect(await countDocuments(kept.referenceNumber)).toBe(0);
});

it('the scheduled deletion logs only numbers', async () => {
  const reference = await refuseLoanAt(SUBMITTED_AT);
  await startAt(SUBMITTED_AT + 91 * DAY_MS);
  expect(await countDocuments(reference)).toBe(0);
  expect(logged).toMatchObject([{ documents: 2, messages: 0, expired: 1, copies: 1 }]);
  expect(JSON.stringify(logged)).not.toContain('ada');
});
