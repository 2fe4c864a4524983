import { expect, it, onTestFinished } from 'vitest';
import { newSchema, testSettings } from '../testing/postgres-stores.ts';
import { openAppStore } from './app-store.ts';
import { openDatabase } from './connection.ts';

it('a setup link is valid on every replica for a day', async () => {
  const schema = newSchema();
  const [one, other] = await Promise.all([0, 1].map(() => openAppStore(testSettings(schema))));
  const db = openDatabase(testSettings(schema));
  onTestFinished(async () => void (await Promise.all([one?.close(), other?.close(), db.close()])));
  const isOffered = (digest: string) => other?.setupLinks?.isOffered(digest);
  await one?.setupLinks?.offer('a'.repeat(64));
  expect([await isOffered('a'.repeat(64)), await isOffered('b'.repeat(64))]).toEqual([true, false]);
  await db.run(db.statement(`update $.setup_links set "expiresAt" = "expiresAt" - interval '1 day'`));
  expect(await isOffered('a'.repeat(64))).toBe(false);
});
