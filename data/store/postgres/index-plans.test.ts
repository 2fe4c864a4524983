import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexReader } from '../ports.ts';
import { newSchema, testSettings, withDatabase } from '../testing/postgres-stores.ts';
import { sampleBatch, sampleEvent } from '../testing/sample-rows.ts';
import type { Database, Statement, Value } from './database.ts';
import { prepareHistories } from './event-history.ts';
import { prepareEventRows } from './event-rows.ts';
import { prepareSnapshotReads } from './index-snapshot.ts';
import { openStorePart } from './open-store-part.ts';
import { prepareVaultReads } from './vault-queries.ts';
import { prepareWalletReads } from './wallet-queries.ts';

type Reads = Pick<
  IndexReader,
  'latestSnapshot' | 'vaultMovements' | 'vaultBalanceAt' | 'stakes' | 'walletEvents'
>;

describe('the events', () => {
  const schema = newSchema();
  let db: Database;
  beforeAll(async () => {
    db = await openStorePart(testSettings(schema), 'index');
  });
  afterAll(async () => {
    await db.close();
    await withDatabase(schema, (one) => one.run({ text: `drop schema ${schema} cascade`, name: undefined }));
  });

  /**
   * Returns the plan of each query that `work` runs. Sequential scans, bitmap scans and sorts are disabled, because the server
   * prefers them for small tables.
   */
  async function plansOf(work: (on: Database) => Promise<unknown>): Promise<readonly (readonly string[])[]> {
    const queries: [Statement<object>, readonly Value[]][] = [];
    const recording: Database = {
      ...db,
      get: async (statement, ...values) => {
        queries.push([statement, values]);
        return db.get(statement, ...values);
      },
      all: async (statement, ...values) => {
        queries.push([statement, values]);
        return db.all(statement, ...values);
      },
    };
    await work(recording);
    return db.transaction([], async (transaction) => {
      for (const way of ['seqscan', 'sort', 'bitmapscan']) {
        await transaction.run({ text: `set local enable_${way} = off`, name: undefined });
      }
      const plans: (readonly string[])[] = [];
      for (const [{ text }, values] of queries) {
        const explain = { text: `explain (costs off) ${text}`, name: undefined };
        const lines = await transaction.all<{ 'QUERY PLAN': string }>(explain, ...values);
        plans.push(lines.map((line) => line['QUERY PLAN'].trim()));
      }
      return plans;
    });
  }

  /** Expects that each scan of the events uses an index in the order of the rows, and stops at the limit. */
  function expectShortScans(plans: readonly (readonly string[])[]): void {
    const scans = plans.flatMap((lines) =>
      lines.flatMap((line, index) => (/ on events\b/.test(line) ? [[lines[index - 1], line]] : [])),
    );
    expect(scans.length).toBeGreaterThan(0);
    for (const [above, scan] of scans) {
      expect(scan).toMatch(/^-> +Index (Only )?Scan/);
      expect(above).toMatch(/^(-> +)?Limit$/);
    }
  }

  it.each<[string, (reads: Reads) => Promise<unknown>]>([
    ['latestSnapshot', (reads) => reads.latestSnapshot(50)],
    ['vaultMovements', (reads) => reads.vaultMovements(1_000)],
    ['vaultBalanceAt', (reads) => reads.vaultBalanceAt([1_000, 2_000])],
    ['stakes', (reads) => reads.stakes(50)],
    ['walletEvents', (reads) => reads.walletEvents('wallet', 50, null)],
  ])('are read by %s in the order of an index, up to a limit', async (_, call) => {
    const reads = (on: Database): Reads => ({
      ...prepareSnapshotReads(on),
      ...prepareVaultReads(on),
      ...prepareWalletReads(on),
    });
    expectShortScans(await plansOf((on) => call(reads(on))));
  });

  it('of a batch are looked up in an index', async () => {
    const histories = prepareHistories(db, prepareEventRows(db));
    const [plan = []] = await plansOf((on) =>
      histories.commit(on, sampleBatch([sampleEvent(1), sampleEvent(2)])),
    );
    expectShortScans([plan]);
  });
});
