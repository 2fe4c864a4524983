import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { IndexReader, IndexWriter } from '../ports.ts';
import { LeaseLostError } from '../store-errors.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleQuote, sampleSnapshot } from '../testing/sample-rows.ts';
import { quoteIdentifier } from './connection.ts';
import { discardIndex } from './discard-index.ts';
import { openIndexReader } from './index-reader.ts';
import { becomeWriter } from './index-transactions.ts';
import { openIndexWriter } from './index-writer.ts';
import { openStorePart } from './open-store-part.ts';

describe('the writer of the index', () => {
  let schema: string;
  let reader: IndexReader;

  beforeEach(async () => {
    schema = newSchema();
    reader = await openIndexReader(testSettings(schema));
  });
  afterEach(async () => {
    await reader.close();
    await withDatabase(schema, (db) =>
      db.run({ text: `drop schema ${quoteIdentifier(schema)} cascade`, name: undefined }),
    );
  });

  async function openWriter(fence: number): Promise<IndexWriter> {
    const writer = await openIndexWriter(testSettings(schema), fence);
    onTestFinished(() => writer.close());
    await writer.claim(IDENTITY);
    return writer;
  }

  const readAll = async () => ({
    version: await reader.dataVersion(),
    snapshot: await reader.latestSnapshot(100),
    statistics: await reader.statistics(),
    prices: await reader.history('price', 'minute', 0),
  });

  it('stores nothing once another program has taken its place', async () => {
    const old = await openWriter(1);
    const unread = { account: IDENTITY.vault, signature: 'unread', slot: 1, position: 0, blockTime: null };
    const quarantined = [{ ...unread, reason: 'not found', since: 1 }];
    await old.commitEvents({ ...sampleBatch([sampleEvent(1)]), quarantined });
    await openWriter(2);
    const before = await readAll();
    const writes: readonly (() => Promise<unknown>)[] = [
      () => old.claim(IDENTITY),
      () => old.commitEvents(sampleBatch([sampleEvent(2)])),
      () => old.releaseQuarantined(unread, { events: [], alarms: [] }),
      () => old.commitSnapshot(sampleSnapshot(2)),
      () => old.commitQuote(sampleQuote('1', 2_000)),
      () => old.commitHolders({ slot: 2, wallets: 1, readAt: 2_000 }),
      () => old.commitReconciliation({ slot: 2, at: 2_000, differences: [] }),
      () => old.deleteOldHistory(2_000),
      () => old.reportEndpoints([], 2_000),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(LeaseLostError);
    expect(await readAll()).toEqual(before);
  });

  it('stores nothing if another program takes its place in the middle of a transaction', async () => {
    const db = await openStorePart(testSettings(schema), 'index');
    onTestFinished(() => db.close());
    const { write } = await becomeWriter(db, 1);
    const count = db.statement<{ accounts: number }>('select count(*) as accounts from $.accounts');
    const writing = write(async (transaction) => {
      await transaction.run(db.statement('insert into $.accounts (address) values ($1)'), 'vault');
      await becomeWriter(db, 2);
    });
    await expect(writing).rejects.toThrow(LeaseLostError);
    expect(await db.get(count)).toEqual({ accounts: 0 });
  });

  it('stores a multi-statement batch in event order, even if some events precede stored events', async () => {
    const EVENTS = 3_000;
    const STORED = 2_500;
    const writer = await openWriter(1);
    await writer.commitEvents(sampleBatch([sampleEvent(STORED)]));
    const parts = (slot: number) => [0, 1].map((part) => sampleEvent(slot, { part, delta: BigInt(slot) }));
    await writer.commitEvents(
      sampleBatch(Array.from({ length: EVENTS }, (_, index) => parts(index + 1)).flat()),
    );
    const { recentEvents } = await reader.latestSnapshot(10_000);
    const positions = recentEvents.toReversed().map(({ slot, part }) => [slot, part]);
    const expected = Array.from({ length: EVENTS }, (_, index) => index + 1).flatMap((slot) =>
      slot === STORED
        ? [[slot, 0]]
        : [
            [slot, 0],
            [slot, 1],
          ],
    );
    expect(positions).toEqual(expected);
    for (const slot of [1, 999, 1_000, 1_001, STORED, EVENTS]) {
      const isAfter = slot >= STORED;
      const sum = BigInt(slot * (slot + 1)) + (isAfter ? 1_000n - 2n * BigInt(STORED) : 0n);
      expect((await writer.eventSums(IDENTITY.vault, slot)).totalIn).toBe(sum);
    }
  });

  it('cannot be opened with a lower fence, but can be opened again with the current fence', async () => {
    await openWriter(5);
    await openWriter(5);
    await expect(openWriter(4)).rejects.toThrow(LeaseLostError);
  });

  it('stores each event once, even as programs take over from each other', async () => {
    const PROGRAMS = 6;
    const BATCHES = 4;
    const acknowledgedSlots: number[] = [];
    /**
     * Commits batches, starting at the cursor, until another program takes over.
     * @param onWarmedUp called once, after `BATCHES` batches
     */
    const run = async (writer: IndexWriter, onWarmedUp: () => void): Promise<void> => {
      for (let batch = 1; ; batch += 1) {
        const slot = ((await writer.cursor(IDENTITY.vault))?.slot ?? 0) + 1;
        try {
          await writer.commitEvents(sampleBatch([sampleEvent(slot), sampleEvent(slot + 1)]));
        } catch (error) {
          expect(error).toBeInstanceOf(LeaseLostError);
          return;
        }
        acknowledgedSlots.push(slot, slot + 1);
        if (batch === BATCHES) onWarmedUp();
      }
    };
    const running: Promise<void>[] = [];
    for (let fence = 1; fence <= PROGRAMS; fence += 1) {
      const writer = await openWriter(fence);
      await new Promise<void>((resolve) => running.push(run(writer, resolve)));
    }
    const last = await openWriter(PROGRAMS + 1);
    await Promise.all(running);
    const slots = (await reader.latestSnapshot(10_000)).recentEvents.map(({ slot }) => slot).toReversed();
    expect(slots).toEqual(Array.from({ length: slots.length }, (_, index) => index + 1));
    expect(acknowledgedSlots.toSorted((one, other) => one - other)).toEqual(slots);
    expect((await last.cursor(IDENTITY.vault))?.slot).toBe(slots.length);
    expect((await last.eventSums(IDENTITY.vault, slots.length)).totalIn).toBe(1_000n * BigInt(slots.length));
  });

  it('can still write, and loses nothing, when a program with a lower fence tries to rebuild the index', async () => {
    const writer = await openWriter(2);
    await writer.commitSnapshot(sampleSnapshot(1));
    await expect(discardIndex(testSettings(schema), 1)).rejects.toThrow(LeaseLostError);
    await writer.commitSnapshot(sampleSnapshot(2));
    expect((await reader.latestSnapshot(0)).chain?.slot).toBe(2);
  });

  it('gives every reader the same new data version', async () => {
    const other = await openIndexReader(testSettings(schema));
    onTestFinished(() => other.close());
    const writer = await openWriter(1);
    await writer.commitSnapshot(sampleSnapshot(1));
    expect(await reader.dataVersion()).toBe(await other.dataVersion());
    expect(await reader.dataVersion()).toBeGreaterThan(0);
  });
});
