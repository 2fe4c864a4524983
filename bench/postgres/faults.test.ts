// @module-tag slow
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isWriteError } from '../../data/store/store-errors.ts';
import { type PostgresServer, startPostgres } from '../../data/store/testing/postgres-server.ts';
import { newSchema, withDatabase } from '../../data/store/testing/postgres-stores.ts';
import { type SilentProxy, startSilentProxy } from '../../data/store/testing/silent-proxy.ts';
import { mountSmallDisk } from '../../data/store/testing/small-disk.ts';
import { type FaultsPortal, startFaultsPortal, TIME_FACTOR } from './faults-portal.ts';

/**
 * The longest time (ms) that a call may take to fail: three times the sum of the connection timeout and the answer timeout,
 * divided by the speed of the replica's clock, plus 15 s for a busy machine.
 */
const MAX_WAIT_MS = (3 * (5_000 + 12_000)) / TIME_FACTOR + 15_000;
const POOL_SIZE = 2;

const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 90_000, interval: 250 });

let proxy: SilentProxy;
let portal: FaultsPortal;

/** Sends a form again until it is accepted, because on a busy machine the store may exceed its shortened time limits. */
const sendUntilStored = (key: string) => eventually(async () => (await portal.send(key)).status).toBe(200);
const toClose: { close(): Promise<void> }[] = [];
const schema = newSchema();

const storedMessages = () =>
  withDatabase(schema, async (db) => {
    const rows = await db.all(db.statement<{ email: string }>('select email from $.contact_messages'));
    return rows.map(({ email }) => email.replace('@example.com', '')).toSorted();
  });

beforeAll(async () => {
  proxy = await startSilentProxy({ path: join(inject('postgresSocketFolder'), '.s.PGSQL.5432') });
  toClose.push(proxy);
  portal = await startFaultsPortal({
    DATABASE_URL: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
    DATABASE_SCHEMA: schema,
    DATABASE_POOL: String(POOL_SIZE),
  });
  toClose.push(portal);
});

afterAll(async () => {
  for (const one of toClose.reverse()) await one.close();
});

describe('a portal on a database', () => {
  const stored: string[] = [];

  it('serves figures and refuses forms while the network is silent, then continues by itself', async () => {
    await eventually(async () => (await portal.readStakingTotal()).status).toBe(200);
    const first = randomUUID();
    await sendUntilStored(first);
    const { slot } = await portal.readStakingTotal();
    await eventually(async () => (await portal.readiness()).replica.isNotified).toBe(true);

    proxy.silence(true);
    const refused = await Promise.all([portal.send(), portal.send(), portal.send()]);
    for (const { status, code, ms } of refused) {
      expect([status, code]).toEqual([503, 'store-unreachable']);
      expect(ms).toBeLessThan(MAX_WAIT_MS);
    }
    await eventually(async () => (await portal.readiness()).missing).toContain('index');
    await eventually(async () => (await portal.readiness()).replica).toMatchObject({
      isNotified: false,
      indexerFence: null,
      versionLag: null,
    });
    expect(await portal.readStakingTotal()).toEqual({ status: 200, slot });

    proxy.silence(false);
    const keys = [first, ...refused.map(({ key }) => key)];
    for (const key of keys) await sendUntilStored(key);
    stored.push(...keys);
    expect(await storedMessages()).toEqual(stored.toSorted());
    // One email to the team and one to the sender.
    await portal.mails.waitForMails(2 * stored.length);
    await eventually(async () => (await portal.readiness()).missing).not.toContain('index');
    await eventually(async () => (await portal.readiness()).replica.isNotified).toBe(true);
    portal.chain.advance(60_000);
    await eventually(async () => (await portal.readStakingTotal()).slot).toBeGreaterThan(slot);
  });

  it('says what to do while locks hold every connection of the pool, and continues once they are released', async () => {
    const logLengthBefore = portal.log().length;
    const refused = await withDatabase(schema, (db) =>
      db.transaction([], async (transaction) => {
        await transaction.run(db.statement('set local idle_in_transaction_session_timeout = 0'));
        await transaction.run(db.statement('lock table $.call_counts in access exclusive mode'));
        return Promise.all(Array.from({ length: 3 * POOL_SIZE }, () => portal.send()));
      }),
    );
    for (const { status, code, ms } of refused) {
      expect([status, code]).toEqual([503, 'store-unreachable']);
      expect(ms).toBeLessThan(MAX_WAIT_MS);
    }
    // Calls that get no connection from the pool log the advice to raise the pool's size.
    expect(portal.log().slice(logLengthBefore).includes('raise DATABASE_POOL')).toBe(true);
    for (const { key } of refused) await sendUntilStored(key);
    stored.push(...refused.map(({ key }) => key));
    expect(await storedMessages()).toEqual(stored.toSorted());
  });
});

/** Size of the database's disk in bytes. A new database takes 8 MB, and the portal's tables take 3 MB. */
const DISK_BYTES = 24 * 1_048_576;
const MAX_FORMS = 100;
/** The user that runs the test server if the tests run as root. */
const NOBODY = 65_534;

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const size of [65_536, 4_096]) {
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(size));
      } catch (error) {
        if (!isWriteError(error)) throw error;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Mounted only with `npm run test:postgres`. `npm test` tests a full disk only with an SQLite portal. */
const disk = process.env.POSTGRES_FAULTS ? await mountSmallDisk(DISK_BYTES) : null;

describe.skipIf(disk === null)('a portal on a database with a full disk', () => {
  const database = 'full_disk';
  /** A separate server, because any process of the shared server might write pages of this database and fail on the full disk. */
  let server: PostgresServer;
  const runOnServer = async (...statements: readonly string[]) => {
    await withDatabase(
      '',
      async (db) => {
        for (const text of statements) await db.run({ text, name: undefined });
      },
      { host: server.socketFolder },
    );
  };
  let portal: FaultsPortal;
  const queryPortalSchema = <Row extends object>(text: string) =>
    withDatabase('portal', (db) => db.all(db.statement<Row>(text)), {
      host: server.socketFolder,
      database,
    });

  beforeAll(async () => {
    if (disk !== null) toClose.push(disk);
    const folder = join(disk?.folder ?? '', 'data');
    mkdirSync(folder);
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    chmodSync(disk?.folder ?? '', 0o755);
    server = await startPostgres('18');
    toClose.push({ close: () => server.stop() });
    await runOnServer(
      `create tablespace ${database} location '${folder}'`,
      `create database ${database} tablespace ${database}`,
    );
    const host = encodeURIComponent(server.socketFolder);
    portal = await startFaultsPortal({
      DATABASE_URL: `postgres://postgres@localhost/${database}?host=${host}`,
    });
    toClose.push(portal);
  });

  it('refuses forms, stores none partially, and continues by itself once there is space', async () => {
    await eventually(async () => (await portal.readStakingTotal()).status).toBe(200);
    const { slot } = await portal.readStakingTotal();
    const filler = join(disk?.folder ?? '', 'filler');
    fill(filler);
    const stored: string[] = [];
    const refused: string[] = [];
    // The database's pages still have free space, so the first forms are accepted.
    for (let sent = 0; sent < MAX_FORMS && refused.length < 3; sent += 1) {
      const { key, status, code } = await portal.send(randomUUID(), 'A long message. '.repeat(200));
      if (status === 200) stored.push(key);
      else {
        expect([status, code]).toEqual([503, 'store-full']);
        refused.push(key);
      }
    }
    expect(refused).toHaveLength(3);
    await eventually(async () => (await portal.readiness()).missing).toContain('app.db');
    portal.chain.advance(60_000);
    expect((await portal.readStakingTotal()).status).toBe(200);

    rmSync(filler);
    await eventually(async () => (await portal.readiness()).missing).not.toContain('app.db');
    for (const key of refused) {
      expect((await portal.send(key, 'A long message. '.repeat(200))).status).toBe(200);
    }
    await portal.mails.waitForMails(2 * (stored.length + refused.length));
    const rows = await queryPortalSchema<{ email: string; events: number; deliveries: number }>(`
      select email,
        (select count(*) from $.submission_events event where event."referenceNumber" = message."referenceNumber") as events,
        (select count(*) from $.deliveries delivery where delivery."referenceNumber" = message."referenceNumber") as deliveries
      from $.contact_messages message order by email`);
    expect(rows.map(({ email }) => email)).toEqual(
      [...stored, ...refused].map((key) => `${key}@example.com`).toSorted(),
    );
    expect(new Set(rows.map(({ events }) => events))).toEqual(new Set([1]));
    expect(new Set(rows.map(({ deliveries }) => deliveries)).size).toBe(1);
    await eventually(async () => (await portal.readStakingTotal()).slot).toBeGreaterThan(slot);
  });
});
