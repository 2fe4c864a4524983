import { describe, expect, it, onTestFinished } from 'vitest';
import { checkTrail, type StoredRecord } from '../rules/audit-chain.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { openAppStore } from './app-store.ts';
import { quoted } from './connection.ts';

function unusedSchema(name = newSchema()): string {
  onTestFinished(() =>
    withDatabase(name, (db) => db.run({ text: `drop schema ${quoted(name)} cascade`, name: undefined })).then(
      () => {},
    ),
  );
  return name;
}

const openIn = async (schema: string) => {
  const store = await openAppStore(testSettings(schema));
  onTestFinished(() => store.close());
  return store;
};

const record = (id: string) => ({ id, at: 1, actor: 'system', action: 'portal.started', details: { id } });

describe('the schema', () => {
  it('is created once when several programs start at the same time', async () => {
    const schema = unusedSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openIn(schema)));
    await Promise.all(stores.map((store, index) => store.recordAudit(record(String(index)))));
    expect(await stores[0]?.auditTrail(9)).toHaveLength(6);
  });

  it('may have any name', async () => {
    const store = await openIn(unusedSchema('The "portal"; or so'));
    await store.recordAudit(record('a'));
    expect(await store.auditTrail(9)).toHaveLength(1);
  });

  it('is left alone by a program that is older', async () => {
    const schema = unusedSchema();
    await openIn(schema);
    await withDatabase(schema, (db) => db.run(db.statement('update $.schema_versions set version = 1000')));
    await expect(openIn(schema)).rejects.toThrow(StoreUnavailableError);
  });

  it('can be used by a user who may not create schemas', async () => {
    const schema = unusedSchema();
    const user = `user_of_${schema}`;
    await withDatabase(schema, async (db) => {
      const setUp = [`create role ${user} login`, `create schema ${schema} authorization ${user}`];
      for (const text of setUp) await db.run({ text, name: undefined });
    });
    const store = await openAppStore(testSettings(schema, { user }));
    await store.recordAudit(record('a'));
    await store.close();
  });
});

describe('the audit trail', () => {
  it('is one chain, whichever program adds to it', async () => {
    const schema = unusedSchema();
    const stores = [await openIn(schema), await openIn(schema), await openIn(schema)];
    await Promise.all(
      stores.flatMap((store, program) =>
        Array.from({ length: 10 }, (_, index) => store.recordAudit(record(`${program}-${index}`))),
      ),
    );
    const trail = await withDatabase(schema, (db) =>
      db.all(db.statement<StoredRecord>('select * from $.audit_records order by sequence')),
    );
    expect(trail.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(checkTrail(trail)).toMatchObject({ records: 30, unlinked: 0, broken: null });
  });
});
