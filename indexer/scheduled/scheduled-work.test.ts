import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEnvironment } from '../../data/config/environment.ts';
import type { IndexReader, IndexWriter } from '../../data/store/ports.ts';
import { resultOf } from '../rpc/endpoint-pool.ts';
import { decodeEntries, type SnapshotAnswers, snapshotCalls, snapshotOf } from '../sync/snapshot.ts';
import { openTestIndex, startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createRelistingPolicy, startScheduledWork } from './scheduled-work.ts';

const DAY_MS = 86_400_000;
const SLOT_MS = 400;
const log = pino({ level: 'silent' });
const neverAborted = new AbortController().signal;

let ledger: TestChain;
beforeAll(async () => {
  ledger = await startTestChain();
});
afterAll(() => ledger.close());

type PastPrices = Parameters<IndexWriter['fillHistory']>[0];

/** Starts the scheduled work on a real index and records which calls it makes to the writer. */
async function start(env: Readonly<Record<string, string>>, fill: () => boolean = () => true) {
  const outcome = parseEnvironment(env);
  if (!outcome.ok) throw new Error('the environment is invalid');
  const index = await openTestIndex(ledger.identity);
  const pricesPassed: PastPrices[] = [];
  const deletionTimes: number[] = [];
  const writer: IndexWriter = {
    ...index.writer,
    async deleteOldHistory(now) {
      await index.writer.deleteOldHistory(now);
      deletionTimes.push(now);
    },
    async fillHistory(past) {
      pricesPassed.push(past);
      return fill();
    },
  };
  const controller = new AbortController();
  const { pool, identity } = ledger;
  const work = startScheduledWork({
    config: outcome.config,
    pool,
    writer,
    identity,
    log,
    signal: controller.signal,
  });
  return {
    work,
    pricesPassed,
    deletionTimes,
    reader: index.reader as IndexReader,
    async commitAccounts(hostTime = Date.now()) {
      const [accounts, entries] = await pool.batch<SnapshotAnswers>(snapshotCalls(identity), neverAborted);
      const readings = { accounts: resultOf(accounts), ...decodeEntries(resultOf(entries)) };
      const snapshot = snapshotOf(readings, identity, hostTime);
      await work.writer.commitSnapshot(snapshot);
      return { slot: snapshot.slot, snapshot };
    },
    async end() {
      controller.abort(new Error('stopping'));
      await work.ended;
      await index.close();
    },
  };
}

describe('the scheduled work', () => {
  it('deletes old points at the first snapshot, by the snapshot’s time rather than the host’s clock', async () => {
    const { deletionTimes, commitAccounts, end } = await start({});
    const yearAhead = Date.now() + 365 * DAY_MS;
    const { snapshot } = await commitAccounts(yearAhead);
    await expect.poll(() => deletionTimes[0], { interval: 5 }).toBe(snapshot.readAt);
    expect(snapshot.readAt).toBeLessThan(yearAhead);
    await end();
  });

  it('counts the wallets that hold BD at the first snapshot', async () => {
    const { reader, commitAccounts, end } = await start({});
    expect((await reader.latestSnapshot(0)).holders).toBeNull();
    const { slot } = await commitAccounts();
    const stored = async () => (await reader.latestSnapshot(0)).holders;
    await expect.poll(stored, { interval: 5 }).toMatchObject({ slot });
    expect((await stored())?.wallets).toBeGreaterThan(5);
    await end();
  });

  it('reconciles as soon as the history is read, and stores the result', async () => {
    const { work, reader, commitAccounts, end } = await start({});
    const stored = async () => (await reader.latestSnapshot(0)).reconciliation;
    // The vault holds BD, but the index is empty.
    const { vaultBalance: onChain } = (await commitAccounts()).snapshot;
    expect(await stored()).toBeNull();
    const readNextReconciliation = async () => {
      ledger.advance(SLOT_MS);
      work.onHistoryRead((await commitAccounts()).slot);
      return stored();
    };
    const difference = { what: 'vault.balance', onChain, indexed: 0n };
    await expect.poll(readNextReconciliation, { interval: 5 }).toMatchObject({ differences: [difference] });
    await end();
  });

  it('backfills demo prices to the first slot once the history is read', async () => {
    let isFilled = false;
    const { work, pricesPassed, commitAccounts, end } = await start({}, () => isFilled);
    const { slot } = await commitAccounts();
    expect(pricesPassed).toEqual([]);
    work.onHistoryRead(slot);
    await expect.poll(() => pricesPassed.length, { interval: 5 }).toBe(1);
    const genesis = (ledger.chain.blockTime(0) ?? 0) * 1_000;
    expect(pricesPassed[0]?.source).toBe('demo');
    expect(pricesPassed[0]?.points[0]?.at).toBe(Math.floor(genesis / DAY_MS) * DAY_MS);
    work.onHistoryRead(slot + 1);
    await expect.poll(() => pricesPassed.length, { interval: 5 }).toBe(2);
    isFilled = true;
    work.onHistoryRead(slot + 2);
    await expect.poll(() => pricesPassed.length, { interval: 5 }).toBe(3);
    work.onHistoryRead(slot + 3);
    await end();
    expect(pricesPassed).toHaveLength(3);
  });

  it('backfills no prices for a real market', async () => {
    const { work, pricesPassed, end } = await start({ MARKET_FEED: 'jupiter' });
    work.onHistoryRead(7);
    await expect.poll(() => pricesPassed, { interval: 5 }).toEqual([undefined]);
    await end();
  });

  it('ends immediately, even while a reconciliation waits for the chain', async () => {
    const { work, commitAccounts, end } = await start({});
    const { slot } = await commitAccounts();
    work.onHistoryRead(slot - 1);
    const stopping = performance.now();
    await end();
    expect(performance.now() - stopping).toBeLessThan(8_000);
  });
});

describe('listing the whole history again', () => {
  const reconciliationWith = (...what: readonly string[]) => ({
    slot: 1,
    at: 1,
    differences: what.map((one) => ({ what: one, onChain: 2n, indexed: 1n })),
  });
  const HOUR_MS = 3_600_000;

  it('is due once when a balance differs from the history, and names the balance', () => {
    const relisting = createRelistingPolicy(() => 0);
    const others = [reconciliationWith(), reconciliationWith('stake-pool.open-entries')];
    for (const other of [null, ...others]) relisting.noteReconciliation(other);
    expect(relisting.takeUnexplainedFigures()).toBeNull();
    relisting.noteReconciliation(reconciliationWith('vault.balance', 'stake-pool.total-staked'));
    expect(relisting.takeUnexplainedFigures()).toEqual(['vault.balance']);
    expect(relisting.takeUnexplainedFigures()).toBeNull();
  });

  it.each([
    ['at growing intervals of at most a day while the balance differs', [], [0, 1, 3, 7, 15, 31, 55, 79]],
    ['daily while a transaction is also quarantined', ['history.unread-transactions'], [0, 24, 48, 72, 96]],
  ])('is repeated %s', (_intervals, others, expected) => {
    let clock = 0;
    const relisting = createRelistingPolicy(() => clock);
    const hours: number[] = [];
    for (; clock < 100 * HOUR_MS; clock += HOUR_MS) {
      relisting.noteReconciliation(reconciliationWith('vault.balance', ...others));
      if (relisting.takeUnexplainedFigures()) hours.push(clock / HOUR_MS);
    }
    expect(hours).toEqual(expected);
  });

  it.each([
    ['everything agreed meanwhile', []],
    ['a balance still differs', ['vault.balance']],
  ])(
    'is due an hour after the last listing if a transaction was quarantined for a while, and %s',
    (_, meanwhile) => {
      let clock = 0;
      const relisting = createRelistingPolicy(() => clock);
      relisting.noteReconciliation(reconciliationWith('vault.balance', 'history.unread-transactions'));
      expect(relisting.takeUnexplainedFigures()).toEqual(['vault.balance']);
      clock = HOUR_MS / 2;
      relisting.noteReconciliation(reconciliationWith(...meanwhile));
      expect(relisting.takeUnexplainedFigures()).toBeNull();
      clock = HOUR_MS;
      relisting.noteReconciliation(reconciliationWith('vault.balance'));
      expect(relisting.takeUnexplainedFigures()).toEqual(['vault.balance']);
    },
  );
});
