import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAppStore, type StoreLocation } from '../open-stores.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { type FilledStore, fillStore } from '../testing/filled-store.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { signIn } from '../testing/sample-admins.ts';
import { queuePushMessages } from '../testing/sample-push.ts';
import { FIRST_PAGE, SUBMITTED_AT, submitApplication } from '../testing/sample-submissions.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { COPIED_TABLES } from './copied-tables.ts';
import { checkStores, copyStore } from './copy-store.ts';

/** Small, so that the sample rows fill several pages. */
const size = { rows: 3, largeRows: 1 };

describe('a copy of the store', () => {
  let folder: string;
  let file: string;
  let schema: string;
  const locations = () => ({ file, settings: testSettings(schema) });
  const copy = (from: 'sqlite' | 'postgres') => copyStore(from, locations(), { pageSize: size });
  let filledFile: Promise<{ readonly content: Buffer; readonly filled: FilledStore }> | null = null;
  /** Writes a filled store to `file`. Only the first call fills a store; later calls write a copy of it. */
  async function fillFile(): Promise<FilledStore> {
    filledFile ??= fill(file).then((filled) => ({ content: readFileSync(file), filled }));
    const { content, filled } = await filledFile;
    writeFileSync(file, content);
    return filled;
  }
  async function fill(location: StoreLocation): Promise<FilledStore> {
    const store = await openAppStore(location);
    try {
      return await fillStore(store);
    } finally {
      await store.close();
    }
  }
  /** Starts a copy, and interrupts it after the first page of a table. */
  const interrupt = (from: 'sqlite' | 'postgres', table: string) => {
    const onRows = (copied: string) => {
      if (copied === table) throw new Error('interrupted');
    };
    return expect(copyStore(from, locations(), { pageSize: size, onRows })).rejects.toThrow('interrupted');
  };
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'app.db');
    schema = newSchema();
  });

  async function expectUsable(
    location: StoreLocation,
    { application, message, loan, documents }: FilledStore,
  ) {
    const store = await openAppStore(location);
    try {
      expect(await signIn(store, 'ada', { kind: 'recovery', code: 'code one' })).toBe('refused');
      expect(await signIn(store, 'ada', { kind: 'recovery', code: 'code two' })).toBe('opened');
      const findReferences = async (list: 'applications' | 'contacts', search: string) => {
        const { rows, total } = await store.records.list(list, { ...FIRST_PAGE, search });
        return [rows.map(({ referenceNumber }) => referenceNumber), total];
      };
      expect(await findReferences('applications', 'łovelace')).toEqual([[application], 1]);
      expect(await findReferences('contacts', 'nul')).toEqual([[message], 1]);
      const loans = await store.records.list('loan-applications', FIRST_PAGE);
      expect([loans.rows.length, loans.total]).toEqual([7, 7]);
      const status = await store.submissions.timelineOf(application, 'ada@example.com');
      expect(status?.events.at(-1)?.status).toBe('refused');
      const stored = await Promise.all(documents.map((id) => store.submissions.readDocument(id)));
      expect(stored.map((document) => document?.content)).toEqual([Buffer.from([0, 1]), Buffer.from([2, 3])]);
      expect((await store.records.record(loan))?.notes).toHaveLength(1);
      expect((await store.cards.card('card'))?.stakeEntries).toEqual(['entry "1"', 'entry 2']);
      expect(await store.records.counts(0)).toMatchObject({ deadDeliveries: 1 });
      // New rows get numbers that no copied row uses.
      await submitApplication(store);
      await store.chat.addTranscript({ at: 2_000, question: 'Q2', answer: 'A2', source: '/faq/' }, 0);
      expect((await store.chat.transcripts(9)).map(({ question }) => question)).toEqual(['Q2', 'Q']);
    } finally {
      await store.close();
    }
  }

  it('contains every row, in either direction, and works like the original', async () => {
    const filled = await fillFile();
    const firstCopy = await copy('sqlite');
    expect(firstCopy.isEqual).toBe(true);
    expect(firstCopy.tables.filter(({ rowCounts }) => rowCounts[0] === 0)).toEqual([]);
    expect(firstCopy.trails[0]).toEqual(firstCopy.trails[1]);
    expect((await checkStores(locations())).isEqual).toBe(true);
    await expectUsable(testSettings(schema), filled);
    rmSync(file);
    const copyBack = await copy('postgres');
    expect(copyBack.isEqual).toBe(true);
    expect(copyBack.trails[1].records).toBeGreaterThan(firstCopy.trails[0].records);
    const store = await openAppStore(file);
    expect((await store.records.list('applications', { ...FIRST_PAGE, search: 'ada' })).total).toBe(2);
    await store.close();
  });

  it('keeps the leases of push messages from SQLite, and the times at which they end', async () => {
    const source = await openAppStore(file);
    await queuePushMessages(source, 'entry 1', 'entry 2');
    for (const leasedUntil of [SUBMITTED_AT + 1, Date.UTC(2100)]) {
      await source.deliveries.claimDue({ channel: 'push', now: SUBMITTED_AT, leasedUntil, limit: 1 });
    }
    await source.close();
    await copy('sqlite');
    const copied = await openAppStore(testSettings(schema));
    const expired = await copied.deliveries.expiredLeases(0);
    await copied.close();
    expect(expired.map(({ leasedUntil }) => leasedUntil)).toEqual([SUBMITTED_AT + 1]);
  });

  it('continues after each interruption, and cannot be used before it is complete', async () => {
    await fillFile();
    for (const table of ['card_applications', 'loan_documents', 'chat_transcripts']) {
      await interrupt('sqlite', table);
      await expect(openAppStore(testSettings(schema)), table).rejects.toThrow(StoreUnavailableError);
      await expect(checkStores(locations()), table).rejects.toThrow(StoreUnavailableError);
    }
    const copiedTables: string[] = [];
    const onRows = (name: string) => void copiedTables.push(name);
    expect((await copyStore('sqlite', locations(), { pageSize: size, onRows })).isEqual).toBe(true);
    expect(copiedTables).not.toContain('audit_records');
    await (await openAppStore(testSettings(schema))).close();
  });

  it('continues after an interruption when copying to SQLite, and works there like the original', async () => {
    const filled = await fill(testSettings(schema));
    await interrupt('postgres', 'loan_documents');
    expect((await copy('postgres')).isEqual).toBe(true);
    await expectUsable(file, filled);
  });

  it('continues after an interruption before the complete file gets its name', async () => {
    await addRecords(testSettings(schema));
    // A folder at this path makes it impossible to rename the file.
    const onTable = () => void mkdirSync(join(file, 'folder'), { recursive: true });
    await expect(copyStore('postgres', locations(), { onTable })).rejects.toThrow();
    rmSync(file, { recursive: true });
    expect((await copy('postgres')).isEqual).toBe(true);
    await (await openAppStore(file)).close();
  });

  it('does not continue once the source has changed', async () => {
    await fillFile();
    await interrupt('sqlite', 'loan_documents');
    await addRecords(file);
    await expect(copy('sqlite')).rejects.toThrow(StoreUnavailableError);
  });

  async function addRecords(location: StoreLocation): Promise<void> {
    const store = await openAppStore(location);
    for (const _ of [1, 2]) await submitApplication(store);
    await store.close();
  }

  it('is refused if the target is not empty, and leaves the target usable', async () => {
    for (const location of [file, testSettings(schema)]) await addRecords(location);
    await expect(copy('sqlite')).rejects.toThrow(StoreUnavailableError);
    await expect(copy('postgres')).rejects.toThrow(StoreUnavailableError);
    for (const location of [file, testSettings(schema)]) await (await openAppStore(location)).close();
  });

  it('is refused if the write-ahead log of a removed file remains', async () => {
    await addRecords(testSettings(schema));
    writeFileSync(`${file}-wal`, 'log');
    await expect(copy('postgres')).rejects.toThrow(StoreUnavailableError);
  });

  it('is refused while a portal has the file open', async () => {
    const store = await openAppStore(file);
    await expect(copy('sqlite')).rejects.toThrow(StoreUnavailableError);
    await store.close();
  });

  it('is refused if the audit trail of the source was changed', async () => {
    await addRecords(testSettings(schema));
    await withDatabase(schema, (db) =>
      db.run(db.statement(`update $.audit_records set actor = 'nobody' where sequence = 2`)),
    );
    await expect(copy('postgres')).rejects.toThrow(StoreUnavailableError);
  });

  it('is reported as different in the tables whose rows were changed', async () => {
    await fillFile();
    await copy('sqlite');
    const changes = {
      audit_records: `details = '{}'`,
      cards: `"stakeEntries" = array['entry 3']`,
      contact_messages: `details = '{"message": null}'`,
      deliveries: '"nextAttemptAt" = "nextAttemptAt" + 1',
      loan_documents: String.raw`content = '\x07'`,
    };
    await withDatabase(schema, async (db) => {
      for (const [table, change] of Object.entries(changes))
        await db.run(db.statement(`update $.${table} set ${change}`));
    });
    const { tables, isEqual } = await checkStores(locations());
    expect(isEqual).toBe(false);
    const differentTables = tables.filter((one) => !one.isEqual).map(({ table }) => table);
    expect(differentTables.toSorted()).toEqual(Object.keys(changes));
  });

  it('contains every table and column of SQLite, except derived ones and those that only SQLite has', async () => {
    await (await openAppStore(file)).close();
    await (await openAppStore(testSettings(schema))).close();
    const client = new Database(file, { readonly: true });
    const tables = client
      .prepare(
        `select name from sqlite_schema where type = 'table' and name not like '%words%' and name not like 'record_search' and name not in ('record_counts', 'country_names')`,
      )
      .pluck()
      .all();
    expect(tables.toSorted()).toEqual(COPIED_TABLES.map(({ name }) => name).toSorted());
    const missingColumns: string[] = [];
    for (const { name } of COPIED_TABLES) {
      const columns = client.prepare('select name from pragma_table_xinfo(?)').pluck().all(name);
      const copiedColumns = await withDatabase(schema, (db) =>
        db.all(
          db.statement<{ name: string }>(
            'select column_name::text as name from information_schema.columns where table_schema = $1 and table_name = $2',
          ),
          schema,
          name,
        ),
      );
      const names = new Set<unknown>(copiedColumns.map((column) => column.name));
      missingColumns.push(
        ...columns.filter((column) => !names.has(column)).map((column) => `${name}.${column}`),
      );
    }
    client.close();
    expect(missingColumns.toSorted()).toEqual([
      'answer_verdicts.id',
      'card_applications.sequence',
      'contact_messages.sequence',
      'loan_applications.sequence',
      'verification_requests.sequence',
    ]);
  });
});
