// @module-tag slow
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore, openLeases } from '../../data/store/open-stores.ts';
import { newSchema, testSettings, withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { submitMessage } from '../../data/store/testing/sample-submissions.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { deliverySettings } from '../delivery/testing/delivery-settings.ts';

let folder: string;
let schema: string;
beforeEach(() => {
  folder = temporaryFolder();
  schema = newSchema();
});

async function run(args: readonly string[], changes: Record<string, string> = {}) {
  const env = {
    ...process.env,
    DATA_DIR: folder,
    DATABASE_URL: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(inject('postgresSocketFolder'))}`,
    DATABASE_SCHEMA: schema,
    ...deliverySettings(),
    ...changes,
  };
  const running = promisify(execFile)(process.execPath, [programFile('api/store/command.ts'), ...args], {
    env,
  });
  const { code = 0, stdout, stderr } = await running.catch((error) => error);
  return { code, printed: `${stdout}${stderr}` };
}

async function addMessage(storeLocation: Parameters<typeof openAppStore>[0]): Promise<void> {
  const store = await openAppStore(storeLocation);
  await submitMessage(store);
  await store.close();
}

describe('the command for stores', () => {
  it('copies a store, finds both equal, and detects a later change', async () => {
    await addMessage(join(folder, 'app.db'));
    const copyOutcome = await run(['copy', '--from', 'sqlite']);
    expect(copyOutcome).toMatchObject({
      code: EXIT.ok,
      printed: expect.stringMatching(/contact_messages +1 rows +equal/),
    });
    expect(copyOutcome.printed).toContain('Copying contact_messages\n');
    expect((await run(['check'])).code).toBe(EXIT.ok);
    await addMessage(testSettings(schema));
    const { code, printed } = await run(['check']);
    expect(code).toBe(EXIT.failure);
    expect(printed).toMatch(/contact_messages +1 and 2 rows +DIFFERENT/);
    expect(printed).toMatch(/cards +0 rows +equal/);
  });

  it.each(['jobs', 'indexer'])('copies nothing while a program holds the lease "%s"', async (name) => {
    await addMessage(join(folder, 'app.db'));
    const leases = await openLeases(testSettings(schema));
    await leases.take(name, 'another program', 600_000);
    await leases.close();
    expect((await run(['copy', '--from', 'sqlite'])).code).toBe(EXIT.tryAgain);
    const tables = await withDatabase(schema, (db) =>
      db.all(
        db.statement("select from pg_catalog.pg_tables where schemaname = $1 and tablename = 'cards'"),
        schema,
      ),
    );
    expect(tables).toEqual([]);
  });

  it.each([[[]], [['copy', '--from', 'mysql']], [['check', '--from', 'sqlite']], [['check', 'twice']]])(
    'prints its usage for %j',
    async (args) => {
      const { code, printed } = await run(args);
      expect(code).toBe(EXIT.usage);
      expect(printed).toContain('Usage:');
    },
  );

  it('needs the database to be configured', async () => {
    expect((await run(['check'], { DATABASE_URL: '' })).code).toBe(EXIT.configuration);
  });

  it('cannot check a store that does not exist', async () => {
    expect((await run(['check'])).code).toBe(EXIT.tryAgain);
  });
});
