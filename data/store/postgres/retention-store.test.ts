import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { AppStore } from '../ports.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { addReviewers, documentsOf, submitLoan } from '../testing/sample-loans.ts';
import { SUBMITTED_AT, submitMessage } from '../testing/sample-submissions.ts';
import { openAppStore } from './app-store.ts';

const ADMIN = { adminId: 'one', address: '::1', at: SUBMITTED_AT + 1 };
const NOW = SUBMITTED_AT + 2;

let schema: string;
let store: AppStore;
beforeEach(async () => {
  schema = newSchema();
  store = await openAppStore(testSettings(schema));
  onTestFinished(async () => {
    await store.close();
    await withDatabase(schema, (db) => db.run({ text: `drop schema ${schema} cascade`, name: undefined }));
  });
});

const seen = async (referenceNumber: string) => {
  const changedAt = (await store.records.record(referenceNumber))?.record.changedAt ?? 0;
  return { referenceNumber, changedAt };
};

/** Starts the work while another transaction has uncommitted changes. Returns the work's outcome after the commit. */
function runDuring<Outcome>(changes: readonly string[], work: () => Promise<Outcome>): Promise<Outcome> {
  return withDatabase(schema, async (db) => {
    const started = await db.transaction([], async (on) => {
      for (const text of changes) await on.run({ ...db.statement(text), name: undefined });
      const outcome = work();
      await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 300))]);
      return { outcome };
    });
    return started.outcome;
  });
}

it.each(['kept', 'merged'] as const)(
  'the documents of a %s loan application stay if the team reopens it at the moment of their deletion',
  async (role) => {
    await addReviewers(store, 'one', 'two');
    const [kept, merged] = [await submitLoan(store), await submitLoan(store)];
    await store.records.merge({ kept: await seen(kept), merged: [await seen(merged)] }, ADMIN);
    for (const adminId of ['one', 'two'])
      await store.records.vote(
        { ...(await seen(kept)), vote: 'approve', reason: null },
        { ...ADMIN, adminId },
      );
    const referenceNumber = role === 'kept' ? kept : merged;
    const reopening = `update $.loan_applications set "decidedAt" = null, status = 'in-review' where "referenceNumber" = '${kept}'`;
    const deletion = () => store.retention.deleteDocuments(referenceNumber, NOW, NOW);
    expect(await runDuring([reopening], deletion)).toBe(0);
    expect(await documentsOf(store, kept)).toHaveLength(4);
  },
);

it('a merged message stays if the team splits it off at the moment when the kept message is deleted', async () => {
  const [kept, merged] = [await submitMessage(store), await submitMessage(store)];
  await store.records.merge({ kept: await seen(kept), merged: [await seen(merged)] }, ADMIN);
  await store.records.decideContact({ ...(await seen(kept)), status: 'closed', reason: null }, ADMIN);
  const split = [
    `update $.contact_messages set status = 'open' where "referenceNumber" = '${merged}'`,
    `delete from $.record_merges where "referenceNumber" = '${merged}'`,
  ];
  expect(await runDuring(split, () => store.retention.deleteMessage(kept, NOW, NOW))).toBe(1);
  expect(await store.records.record(merged)).not.toBeNull();
});
