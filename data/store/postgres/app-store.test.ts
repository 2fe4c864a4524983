import { expect, it, onTestFinished } from 'vitest';
import { StoreUnavailableError } from '../store-errors.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { openAppStore } from './app-store.ts';

async function openNew() {
  const schema = newSchema();
  const store = await openAppStore(testSettings(schema));
  const run = (...statements: readonly string[]) =>
    withDatabase(schema, async (db) => {
      for (const text of statements) await db.run({ ...db.statement(text), name: undefined });
    });
  onTestFinished(async () => {
    await store.close();
    await run(`drop schema ${schema} cascade`);
  });
  return { store, run };
}

it('a full disk on the server is reported as a problem until a megabyte can be written again', async () => {
  const { store, run } = await openNew();
  const record = { id: 'a', at: 1, actor: 'system', action: 'a', details: {} };
  // Fails in the same way as a server that cannot extend a table.
  await run(
    "create function $.full() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100'; end $$",
    'create trigger full_audit before insert on $.audit_records execute function $.full()',
    'create trigger full_probe before insert on $.write_probes execute function $.full()',
  );
  expect(await store.problem()).toBeNull();
  await expect(store.recordAudit(record)).rejects.toThrow(StoreUnavailableError);
  expect(await store.problem()).toEqual({ kind: 'full' });
  await store.tryToWrite();
  expect(await store.problem()).toEqual({ kind: 'full' });
  await run('drop trigger full_audit on $.audit_records');
  await store.recordAudit(record);
  expect(await store.problem()).toEqual({ kind: 'full' });
  await run('drop trigger full_probe on $.write_probes');
  await store.tryToWrite();
  expect(await store.problem()).toBeNull();
});

it('a request to copy the database is refused with a hint to use pg_dump', async () => {
  const { store } = await openNew();
  for (const copy of [store.backUp, store.copyLostStore]) {
    const error = await copy('/nowhere').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(String(error)).toContain('pg_dump');
  }
});
