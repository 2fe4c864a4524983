import { expect, it, onTestFinished } from 'vitest';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { openAppStore } from './app-store.ts';
import { openDatabase } from './connection.ts';
import { prepareReadCounts, rowCountingSql, storedCount } from './count-changes.ts';

const CHANGES = 1_200;

it('the numbers of rows stay correct while programs add changes and replace them with their sums', async () => {
  const schema = newSchema();
  await (await openAppStore(testSettings(schema))).close();
  const db = openDatabase(testSettings(schema));
  onTestFinished(async () => {
    await db.close();
    await withDatabase(schema, (one) => one.run({ text: `drop schema ${schema} cascade`, name: undefined }));
  });
  const read = prepareReadCounts(db);
  const changeStatement = (change: 1 | -1) =>
    db.statement(rowCountingSql('kind', "select 'status' as status from generate_series(1, $1)", change));
  const [add, remove] = [changeStatement(1), changeStatement(-1)];
  const changes = async () => (await read()).reduce((sum, { changes }) => sum + changes, 0);
  for (let added = 0; added < CHANGES; added += 4) {
    await Promise.all([db.run(add, 2), db.run(remove, 1), db.run(add, 1), db.run(remove, 1)]);
    if (added % 400 === 396) expect(storedCount(await read(), 'kind', 'status')).toBe((added + 4) / 4);
  }
  const reads = await Promise.all([read(), db.run(add, 1).then(read), read()]);
  for (const counts of reads) expect([CHANGES / 4, CHANGES / 4 + 1]).toContain(storedCount(counts, 'kind'));
  expect(storedCount(await read(), 'kind')).toBe(CHANGES / 4 + 1);
  expect(await changes()).toBeLessThan(10);
});
