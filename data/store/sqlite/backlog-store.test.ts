import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AppStore } from '../ports.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleRequest,
  sampleTerms,
} from '../testing/sample-submissions.ts';
import { openAppStore } from './app-store.ts';

let folder: string;
let store: AppStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
  store = await openAppStore(join(folder, 'app.db'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

it('counts what waits for a decision, each kind by itself', async () => {
  expect(await store.backlog.waitingDecisions()).toEqual({
    cardApplications: 0,
    verificationRequests: 0,
    loanApplications: 0,
  });
  await store.applications.submitApplication(sampleApplication(), sampleTerms());
  await store.applications.submitApplication(sampleApplication(), sampleTerms());
  await store.applications.submitVerificationRequest(sampleRequest(), sampleTerms());
  expect(await store.backlog.waitingDecisions()).toEqual({
    cardApplications: 2,
    verificationRequests: 1,
    loanApplications: 0,
  });
});

it('tells the deliveries that were given up, the last of them first, and no other', async () => {
  await store.applications.submitApplication(sampleApplication(), sampleTerms());
  const leased = await store.deliveries.claimDue({
    channel: 'mail',
    now: SUBMITTED_AT,
    leasedUntil: SUBMITTED_AT + 1_000,
    limit: 2,
  });
  expect(await store.backlog.deadDeliveries(5)).toEqual([]);
  for (const [place, delivery] of leased.entries()) {
    const at = SUBMITTED_AT + 10 + place;
    const attempt = { at, providerId: null, code: '550', error: 'no', maskedRecipient: 'a…', latencyMs: 1 };
    await store.deliveries.recordAttempt(delivery, { ...attempt, outcome: 'dead' }, { state: 'dead' });
  }
  const dead = await store.backlog.deadDeliveries(5);
  expect(dead).toHaveLength(2);
  expect(dead[0]).toEqual({
    referenceNumber: leased[0]?.referenceNumber,
    channel: 'mail',
    finishedAt: SUBMITTED_AT + 11,
  });
  expect(await store.backlog.deadDeliveries(1)).toEqual(dead.slice(0, 1));
});
