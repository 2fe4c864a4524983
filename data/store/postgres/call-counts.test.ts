import { expect, it, onTestFinished, vi } from 'vitest';
import { newSchema, testSettings } from '../testing/postgres-stores.ts';
import { openAppStore } from './app-store.ts';
import { openCallCounts } from './call-counts.ts';
import { openDatabase } from './connection.ts';
import { migrate } from './migrate.ts';

async function openTwoCallCounts() {
  const schema = newSchema();
  const [one, other] = [0, 1].map(() => {
    const db = openDatabase(testSettings(schema));
    onTestFinished(() => db.close());
    return db;
  });
  if (!one || !other) throw new Error('There are not two programs.');
  await migrate(one, schema, 'app');
  return [openCallCounts(one), openCallCounts(other)] as const;
}

it('each call with a key is counted once, whichever program counts it', async () => {
  const [one, other] = await openTwoCallCounts();
  const added = await Promise.all(
    Array.from({ length: 20 }, (_, call) => (call % 2 === 0 ? one : other).add('a', 60_000)),
  );
  expect(added.map(({ calls }) => calls).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, call) => call + 1),
  );
  expect(Math.min(...added.map(({ endsInMs }) => endsInMs))).toBeGreaterThan(0);
  expect(Math.max(...added.map(({ endsInMs }) => endsInMs))).toBeLessThanOrEqual(60_000);
  expect((await one.add('b', 60_000)).calls).toBe(1);
});

it('counting starts over once a window has ended', async () => {
  const [one, other] = await openTwoCallCounts();
  await one.add('a', 0);
  expect((await other.add('a', 60_000)).calls).toBe(1);
  expect((await one.add('a', 60_000)).calls).toBe(2);
});

it('a call is counted even if the ended counts cannot be deleted', async () => {
  const schema = newSchema();
  const db = openDatabase(testSettings(schema));
  onTestFinished(() => db.close());
  await migrate(db, schema, 'app');
  const run = vi.fn<typeof db.run>().mockRejectedValue(new Error('the server is busy'));
  const time = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => time.mockRestore());
  const counts = openCallCounts({ ...db, run });
  time.mockReturnValue(60_000);
  expect((await counts.add('a', 60_000)).calls).toBe(1);
  expect(run).toHaveBeenCalledTimes(1);
});

it('the hourly job deletes the counts for windows that have ended', async () => {
  const store = await openAppStore(testSettings(newSchema()));
  onTestFinished(() => store.close());
  await store.callCounts?.add('ended', 0);
  await store.callCounts?.add('running', 3_600_000);
  expect(await store.retention.deleteExpired(0, 0)).toBe(1);
  expect((await store.callCounts?.add('running', 3_600_000))?.calls).toBe(2);
});
