import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CHANGED_PARTS } from '../rules/record-changes.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { IDENTITY, sampleBatch, sampleEvent } from '../testing/sample-rows.ts';
import { submitMessage } from '../testing/sample-submissions.ts';
import { startSilentProxy } from '../testing/silent-proxy.ts';
import { openAppStore } from './app-store.ts';
import { quoteIdentifier } from './connection.ts';
import type { DatabaseSettings } from './database.ts';
import { openIndexWriter } from './index-writer.ts';
import { listen } from './listen.ts';

const QUICK = { firstRetryMs: 1, longestRetryMs: 10, keepAliveMs: 20, answerMs: 5_000 };

async function openServer(onSocket: (socket: Socket) => void) {
  const server = createServer(onSocket).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    settings: { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 },
  };
}

/** Starts a proxy for the database. After `silence(true)`, the proxy drops all data. */
async function openProxy() {
  const proxy = await startSilentProxy({ path: join(testSettings('').host, '.s.PGSQL.5432') });
  onTestFinished(() => proxy.close());
  return { settings: { host: '127.0.0.1', port: proxy.port }, silence: proxy.silence };
}

describe('a listener', () => {
  let schema: string;
  const schemas: string[] = [];

  beforeEach(() => {
    schema = newSchema();
    schemas.push(schema);
  });
  afterEach(async () => {
    for (const name of schemas.splice(0)) {
      await withDatabase(name, (db) =>
        db.run({ text: `drop schema if exists ${quoteIdentifier(name)} cascade`, name: undefined }),
      );
    }
  });

  function startListener(changes: Partial<DatabaseSettings> = {}, times = QUICK) {
    const calls = { index: 0, queue: 0, connected: 0, changed: new Set<string>(), lost: [] as unknown[] };
    const wakeUps = listen(
      testSettings(schema, changes),
      {
        onIndexChanged: () => {
          calls.index += 1;
        },
        onChanged: (part) => void calls.changed.add(part),
        onQueued: () => {
          calls.queue += 1;
        },
        onConnected: () => {
          calls.connected += 1;
        },
        onLost: (error) => void calls.lost.push(error),
      },
      times,
    );
    onTestFinished(() => wakeUps.close());
    return { ...wakeUps, calls };
  }

  async function openWriter(inSchema = schema) {
    const writer = await openIndexWriter(testSettings(inSchema), 1);
    onTestFinished(() => writer.close());
    await writer.claim(IDENTITY);
    return writer;
  }

  it('is called once for each commit of the index, and not for commits of another schema', async () => {
    const { calls, isConnected } = startListener();
    await expect.poll(isConnected).toBe(true);
    const other = newSchema();
    schemas.push(other);
    await (await openWriter(other)).commitEvents(sampleBatch([sampleEvent(1)]));
    // Two commits send a notification: the claim, and the batch of two events.
    await (await openWriter()).commitEvents(sampleBatch([sampleEvent(1), sampleEvent(2)]));
    await expect.poll(() => calls.index).toBe(2);
    expect(calls.queue).toBe(0);
  });

  async function submitWhileListening() {
    const { calls, isConnected } = startListener();
    await expect.poll(isConnected).toBe(true);
    calls.changed.clear();
    const store = await openAppStore(testSettings(schema));
    onTestFinished(() => store.close());
    await submitMessage(store);
    await expect.poll(() => calls.queue).toBe(1);
    return { calls, store };
  }

  it('is notified of the lists that another program changed', async () => {
    const { calls } = await submitWhileListening();
    await expect.poll(() => [...calls.changed]).toEqual(['contacts']);
  });

  it('is notified of queued deliveries once for all submissions of a group', async () => {
    const { calls, store } = await submitWhileListening();
    // Calls that arrive while a group runs form the next group.
    await Promise.all(Array.from({ length: 10 }, () => submitMessage(store)));
    await expect.poll(() => calls.queue).toBeGreaterThan(1);
    expect(calls.queue).toBeLessThanOrEqual(3);
    expect(calls.index).toBe(0);
  });

  it('is notified of a failed delivery that the team retries', async () => {
    const { calls, store } = await submitWhileListening();
    const failed = await withDatabase(schema, (db) =>
      db.get(db.statement<{ id: string }>("update $.deliveries set state = 'dead' returning id")),
    );
    const retry = { adminId: 'ada', address: '::1', at: 1 };
    expect(await store.records.retryDelivery(failed?.id ?? '', retry)).toBe('retried');
    await expect.poll(() => calls.queue).toBe(2);
  });

  it('reconnects after its connection was ended, and receives later notifications', async () => {
    // The test finds the connection by its last statement. Without keep-alive checks, that is still `listen`.
    const { calls, isConnected } = startListener({}, { ...QUICK, keepAliveMs: 600_000 });
    await expect.poll(isConnected).toBe(true);
    calls.changed.clear();
    await withDatabase(schema, (db) =>
      db.run(
        db.statement('select pg_terminate_backend(pid) from pg_stat_activity where query = $1'),
        `listen ${quoteIdentifier(schema)}`,
      ),
    );
    await expect.poll(() => calls.connected).toBe(2);
    expect(calls.lost).toEqual([expect.any(StoreUnavailableError)]);
    // A notification about any part may have been missed.
    expect(calls.changed).toEqual(new Set(CHANGED_PARTS));
    await openWriter();
    await expect.poll(() => calls.index).toBe(1);
  });

  it('notices a network that drops everything, and reconnects once it works', async () => {
    const proxy = await openProxy();
    const { calls, isConnected } = startListener(proxy.settings, { ...QUICK, answerMs: 300 });
    await expect.poll(isConnected).toBe(true);
    proxy.silence(true);
    await expect.poll(isConnected).toBe(false);
    proxy.silence(false);
    await expect.poll(isConnected).toBe(true);
    expect(calls.lost.length).toBeGreaterThanOrEqual(1);
  });

  it('reports an unreachable server once, not with each attempt', async () => {
    let attempts = 0;
    const { settings } = await openServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    const { calls } = startListener(settings);
    await expect.poll(() => attempts).toBeGreaterThan(3);
    expect(calls.lost).toEqual([expect.any(StoreUnavailableError)]);
  });
});
