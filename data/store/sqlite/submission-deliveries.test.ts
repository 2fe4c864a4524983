import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppStore } from '../ports.ts';
import { sampleDocuments, sampleLoan } from '../testing/sample-loans.ts';
import {
  SUBMITTED_AT,
  sampleApplication,
  sampleMessage,
  sampleRequest,
  sampleTerms,
} from '../testing/sample-submissions.ts';
import { openAppStore } from './app-store.ts';

describe('the deliveries of a submission', () => {
  let folder: string;
  let store: AppStore;
  let file: Database.Database;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
    store = await openAppStore(join(folder, 'app.db'));
    file = new Database(join(folder, 'app.db'), { readonly: true });
  });
  afterEach(async () => {
    file.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const queued = () =>
    file
      .prepare(
        'select event, referenceNumber, channel, audience, recipient, state, attemptCount, nextAttemptAt, fence from deliveries order by rowid',
      )
      .all();

  it.each([
    ['card-application.received', () => store.applications.submitApplication(sampleApplication(), terms)],
    [
      'verification-request.received',
      () => store.applications.submitVerificationRequest(sampleRequest(), terms),
    ],
    ['contact-message.received', () => store.contacts.submitMessage(sampleMessage(), terms)],
    ['loan-application.received', () => store.loans.submit(sampleLoan(), sampleDocuments(), terms)],
  ])('%s are one to the applicant and two to the team, due at once', async (event, submit) => {
    await submit();
    const row = {
      event,
      referenceNumber: 'BD-20260102-777777',
      state: 'waiting',
      attemptCount: 0,
      nextAttemptAt: SUBMITTED_AT,
      fence: 0,
    };
    expect(queued()).toEqual([
      { ...row, channel: 'mail', audience: 'applicant', recipient: 'ada@example.com' },
      { ...row, channel: 'mail', audience: 'team', recipient: null },
      { ...row, channel: 'telegram', audience: 'team', recipient: null },
    ]);
    const ids = file.prepare('select distinct messageId from deliveries').all();
    expect(ids).toHaveLength(3);
  });
  const terms = sampleTerms({
    drawReference: () => 'BD-20260102-777777',
    idempotency: { keyHash: 'key', bodyHash: 'body' },
  });

  it('are not queued again where the same is sent again, nor where it is refused', async () => {
    await store.applications.submitApplication(sampleApplication(), terms);
    await store.applications.submitApplication(sampleApplication(), terms);
    await store.applications.submitApplication(sampleApplication(), {
      ...terms,
      idempotency: { keyHash: 'key', bodyHash: 'other' },
    });
    await expect(
      store.applications.submitApplication(sampleApplication(), { ...terms, idempotency: null }),
    ).rejects.toThrow();
    expect(queued()).toHaveLength(3);
  });

  it('and all else of a submission are undone together where one of them cannot be written', async () => {
    file.close();
    const breaking = new Database(join(folder, 'app.db'));
    breaking.exec(
      "create trigger full before insert on deliveries when new.channel = 'telegram' begin select raise(abort, 'full'); end",
    );
    breaking.close();
    await expect(store.applications.submitApplication(sampleApplication(), terms)).rejects.toThrow('full');
    file = new Database(join(folder, 'app.db'), { readonly: true });
    for (const table of [
      'reference_numbers',
      'card_applications',
      'submission_events',
      'audit_records',
      'deliveries',
      'idempotent_answers',
    ]) {
      expect(file.prepare(`select * from ${table}`).all(), table).toEqual([]);
    }
  });
});
