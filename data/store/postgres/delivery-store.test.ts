import { describe, expect, it, onTestFinished } from 'vitest';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { queuePushMessages } from '../testing/sample-push.ts';
import { SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { openPrograms, store, useAppStore } from '../testing/test-stores.ts';
import { openAppStore } from './app-store.ts';
import { openDatabase } from './connection.ts';
import { SERVER_NOW } from './database.ts';

const DAY_MS = 86_400_000;

describe('a lease', () => {
  useAppStore();

  it('lasts as long as its program asked for, regardless of the programs’ clocks', async () => {
    await submitApplication(store);
    const [other] = await openPrograms(1);
    const claim = (now: number, durationMs: number) =>
      store.deliveries.claimDue({ channel: 'mail', now, leasedUntil: now + durationMs, limit: 1 });
    const slowClockTime = SUBMITTED_AT;
    const fastClockTime = Date.now() + DAY_MS;
    await claim(slowClockTime, DAY_MS / 2);
    expect(await other?.deliveries.expiredLeases(fastClockTime)).toEqual([]);
    const [expired] = await claim(fastClockTime, 0);
    expect(await other?.deliveries.expiredLeases(slowClockTime)).toMatchObject([{ id: expired?.id }]);
  });
});

describe('a lease of a push message', () => {
  it('expires, but not for the previous version, which does not know the channel', async () => {
    const schema = newSchema();
    const ownStore = await openAppStore(testSettings(schema));
    const db = openDatabase(testSettings(schema));
    onTestFinished(async () => {
      await Promise.all([ownStore.close(), db.close()]);
      await withDatabase(schema, (one) =>
        one.run({ text: `drop schema ${schema} cascade`, name: undefined }),
      );
    });
    await queuePushMessages(ownStore, 'entry 1');
    const claim = { channel: 'push', now: SUBMITTED_AT, limit: 1 } as const;
    await ownStore.deliveries.claimDue({ ...claim, leasedUntil: SUBMITTED_AT + DAY_MS });
    expect(await ownStore.deliveries.expiredLeases(0)).toEqual([]);
    const [delivery] = await ownStore.deliveries.deliveriesOf('one');
    await ownStore.deliveries.release({ id: delivery?.id ?? '', fence: delivery?.fence ?? 0 });
    await ownStore.deliveries.claimDue({ ...claim, leasedUntil: SUBMITTED_AT });
    const [expired] = await ownStore.deliveries.expiredLeases(0);
    expect(expired).toMatchObject({ id: delivery?.id, channel: 'push' });
    expect(Math.abs((expired?.leasedUntil ?? 0) - Date.now())).toBeLessThan(DAY_MS);
    const previousVersionQuery = db.statement(`
      select id from $.deliveries where state = 'leased' and "leasedUntil" <= ${SERVER_NOW}`);
    expect(await db.all(previousVersionQuery)).toEqual([]);
  });
});
