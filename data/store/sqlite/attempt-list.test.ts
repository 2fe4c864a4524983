import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { FIRST_PAGE, SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { newFolder } from '../testing/temporary-folder.ts';
import { openAppStore } from './app-store.ts';

it('the failed deliveries are listed completely even if one finished after its newest attempt', async () => {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'app.db');
  const store = await openAppStore(file);
  await submitApplication(store);
  const claim = { channel: 'mail', now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 2 } as const;
  const details = { providerId: null, code: null, error: null, maskedRecipient: 'a…', latencyMs: 1 };
  for (const [delay, lease] of (await store.deliveries.claimDue(claim)).entries()) {
    const attempt = { ...details, at: SUBMITTED_AT + delay, outcome: 'dead' } as const;
    await store.deliveries.recordAttempt(lease, attempt, { state: 'dead' });
  }
  await store.close();
  // Earlier versions stored the time of an erasure as the end of the deliveries that it cancelled.
  const client = new Database(file);
  client.prepare('update deliveries set finishedAt = finishedAt + 9 where finishedAt = ?').run(SUBMITTED_AT);
  client.close();

  const reopened = await openAppStore(file);
  onTestFinished(() => reopened.close());
  const query = { ...FIRST_PAGE, sort: 'attemptedAt', filters: { dead: 'only' }, limit: 1 };
  const first = await reopened.records.list('delivery-logs', query);
  const second = await reopened.records.list('delivery-logs', { ...query, after: first.next });
  expect([...first.rows, ...second.rows].map(({ attemptedAt }) => attemptedAt - SUBMITTED_AT)).toEqual([
    0, 1,
  ]);
});
