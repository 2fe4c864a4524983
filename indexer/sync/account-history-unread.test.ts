import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { RetryableRpcError } from '../rpc/rpc-errors.ts';
import {
  advanceUntilCaughtUp,
  blockTimeOf,
  createVaultHistory,
  expectedEvents,
  IDENTITY,
  indexedEvents,
  neverAborted,
  SCRIPTED_MINT,
  type ScriptedNode,
  scriptedNode,
  tick,
  transactionsAt,
  VAULT,
} from '../testing/scripted-history.ts';
import { SCRIPTED_ENDPOINT, type ScriptedPool } from '../testing/scripted-pool.ts';
import { openTestIndex, type TestIndex } from '../testing/test-chain.ts';
import type { AccountHistory } from './account-history.ts';
import { createQuarantineKeeper } from './quarantine.ts';
import type { RetryPolicy } from './unreadable-transactions.ts';

let index: TestIndex;
beforeEach(async () => {
  index = await openTestIndex(IDENTITY);
  return () => index.close();
});
afterEach(() => void vi.restoreAllMocks());

describe('a transaction that cannot be read', () => {
  it('blocks the cursor, is reported, and is indexed once it appears', async () => {
    const past = transactionsAt([1, 2, 3, 5, 5, 6]);
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const history = createVaultHistory(node, index.writer, { pageSize: 100, windowSize: 4 });
    expect(await tick(node, history)).toMatchObject({
      state: 'waiting',
      blockedBy: { signature: 's2', reason: expect.any(String) },
    });
    expect(await tick(node, history)).toMatchObject({ state: 'waiting' });
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's1' });
    expect(await indexedEvents(index)).toEqual(expectedEvents(past.slice(0, 2)));
    node.withheld.clear();
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('is quarantined immediately if every endpoint returns it in a form that cannot be read', async () => {
    const past = transactionsAt([1, 2, 3]);
    const node = scriptedNode(VAULT, past);
    // The node returns the transaction with a different slot than in its list.
    node.returnedSlots.set('s1', 7);
    const history = createVaultHistory(node, index.writer);
    await advanceUntilCaughtUp(node, history);
    expect((await index.writer.quarantined()).map(({ signature }) => signature)).toEqual(['s1']);
    expect(await indexedEvents(index)).toEqual(
      expectedEvents(past).filter(({ signature }) => signature !== 's1'),
    );
  });

  it('keeps the others of its slot waiting, so that a slot is indexed as a whole', async () => {
    const past = transactionsAt([1, 5, 5, 5, 6]);
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    await tick(node, createVaultHistory(node, index.writer));
    expect(await index.writer.cursor(VAULT)).toMatchObject({ slot: 1 });
  });
});

describe('a transaction that stays unreadable', () => {
  const retryPolicy: RetryPolicy = { minAttempts: 3, minElapsedMs: 1_000, pauseMs: (rounds) => rounds * 100 };
  const sizes = { pageSize: 100, windowSize: 4, retryPolicy };
  const past = transactionsAt([1, 2, 3, 5, 5, 6]);
  let clock: number;
  beforeEach(() => {
    clock = 0;
  });
  const quarantinedPositions = async () =>
    (await index.writer.quarantined()).map(({ signature, position }) => `${signature} at ${position}`);
  const runTicks = async (
    node: ScriptedNode,
    history: AccountHistory,
    maxTicks: number,
    msBetween: number,
  ) => {
    for (let count = 0; count < maxTicks; count += 1) {
      if ((await tick(node, history)).state === 'caught-up') return;
      clock += msBetween;
    }
  };

  it('is quarantined, and its successors are indexed', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s4');
    const history = createVaultHistory(node, index.writer, sizes, () => clock);
    await runTicks(node, history, 20, 200);
    expect(await quarantinedPositions()).toEqual(['s4 at 1']);
    expect(await indexedEvents(index)).toEqual(
      expectedEvents(past).filter(({ signature }) => signature !== 's4'),
    );
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's5' });
  });

  it('is quarantined with the block time of its listing, so that sums over a later period are complete', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s1');
    await runTicks(
      node,
      createVaultHistory(node, index.writer, sizes, () => clock),
      20,
      200,
    );
    const [quarantined] = await index.writer.quarantined();
    const quarantinedAt = blockTimeOf(2) * 1_000;
    expect(quarantined).toMatchObject({ signature: 's1', blockTime: quarantinedAt });
    const coversWindow = async (since: number) => (await index.reader.vaultMovements(since)).coversWindow;
    expect([await coversWindow(quarantinedAt), await coversWindow(quarantinedAt + 1)]).toEqual([false, true]);
  });

  it('is quarantined together with others that were retried for as long', async () => {
    const node = scriptedNode(VAULT, past);
    for (const signature of ['s1', 's2', 's4']) node.withheld.add(signature);
    const history = createVaultHistory(node, index.writer, { ...sizes, windowSize: 10 }, () => clock);
    await runTicks(node, history, 8, 200);
    expect(await quarantinedPositions()).toEqual(['s1 at 0', 's2 at 0', 's4 at 1']);
  });

  it.each([
    ['often but not for long', 30, 10],
    ['for long but not often', 2, 5_000],
  ])('blocks the cursor if it was retried %s', async (_how, times, msBetween) => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const impatient = { ...sizes, retryPolicy: { ...retryPolicy, pauseMs: () => 0 } };
    const history = createVaultHistory(node, index.writer, impatient, () => clock);
    await runTicks(node, history, times, msBetween);
    expect(await quarantinedPositions()).toEqual([]);
    expect(await index.writer.cursor(VAULT)).toMatchObject({ signature: 's1' });
  });

  it('is retried with growing pauses', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s0');
    const patient = { ...sizes, retryPolicy: { ...retryPolicy, minElapsedMs: 1e9 } };
    const history = createVaultHistory(node, index.writer, patient, () => clock);
    const triedAt: number[] = [];
    for (; clock < 1_000; clock += 50) {
      const before = node.pool.calls.length;
      await tick(node, history);
      if (node.pool.calls.length > before) triedAt.push(clock);
    }
    expect(triedAt).toEqual([0, 100, 300, 600]);
  });

  it('is not quarantined if the endpoint returns no other transaction either', async () => {
    const node = scriptedNode(VAULT, past.slice(0, 2));
    const history = createVaultHistory(node, index.writer, sizes, () => clock);
    await advanceUntilCaughtUp(node, history);
    node.history = past;
    for (const { signature } of past) node.withheld.add(signature);
    await runTicks(node, history, 50, 1_000);
    expect(await quarantinedPositions()).toEqual([]);
    node.withheld.clear();
    clock += 100_000;
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });

  it('is not quarantined if no endpoint answers', async () => {
    const node = scriptedNode(VAULT, past);
    const error = new RetryableRpcError('unreachable', 'connection failed');
    const failedReplies = (calls: readonly unknown[]) =>
      calls.map(() => ({ ok: false, error, by: SCRIPTED_ENDPOINT })) as never;
    const asksFor = (method: string, calls: unknown) =>
      (calls as readonly RpcCall<unknown>[]).some((call) => call.method === method);
    const pool: ScriptedPool = {
      ...node.pool,
      batch: async (calls, signal) =>
        asksFor('getTransaction', calls) ? failedReplies(calls) : node.pool.batch(calls, signal),
      requestFromEach: async (calls, signal) => {
        // This call requests no transaction. It only proves where the history begins.
        if (asksFor('getFirstAvailableBlock', calls)) return node.pool.requestFromEach(calls, signal);
        return [{ endpoint: SCRIPTED_ENDPOINT, replies: failedReplies(calls) }];
      },
    };
    const history = createVaultHistory({ ...node, pool }, index.writer, sizes, () => clock);
    await runTicks(node, history, 50, 1_000);
    expect(await quarantinedPositions()).toEqual([]);
    expect(await index.writer.cursor(VAULT)).toBeNull();
  });

  it('is read immediately if another endpoint returns it', async () => {
    const node = scriptedNode(VAULT, past);
    node.withheld.add('s2');
    const other = scriptedNode(VAULT, past);
    const pool = { ...node.pool, requestFromEach: other.pool.requestFromEach };
    const history = createVaultHistory({ ...node, pool }, index.writer, sizes, () => clock);
    await runTicks(node, history, 5, 0);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });
});

describe('the answers of a distrusted endpoint', () => {
  const LIAR = 'liar.example';

  it('change neither the beginning of a history nor its transactions, and release none from quarantine', async () => {
    const past = transactionsAt([4, 5, 6]);
    const honest = scriptedNode(VAULT, past);
    honest.withheld.add('s1');
    const liar = scriptedNode(VAULT, [
      { signature: 'older', slot: 1, delta: 99n },
      ...past.map((one) => ({ ...one, delta: 99n })),
    ]);
    let distrusted = [SCRIPTED_ENDPOINT, LIAR];
    const pool: ScriptedPool = {
      ...honest.pool,
      requestFromEach: async (calls, signal) => [
        ...(await honest.pool.requestFromEach(calls, signal)),
        ...(await liar.pool.requestFromEach(calls, signal)).map((answer) => ({ ...answer, endpoint: LIAR })),
      ],
      health: () => distrusted.map((name) => ({ name, state: 'distrusted' }) as EndpointHealth),
    };
    const node = { ...honest, pool };
    let clock = 0;
    const retryPolicy: RetryPolicy = { minAttempts: 2, minElapsedMs: 0, pauseMs: () => 100 };
    const history = createVaultHistory(node, index.writer, { retryPolicy }, () => clock);
    await expect(tick(node, history)).rejects.toMatchObject({ failure: 'distrusted' });

    distrusted = [LIAR];
    expect(await tick(node, history)).toMatchObject({ state: 'waiting', blockedBy: { signature: 's1' } });
    distrusted = [SCRIPTED_ENDPOINT, LIAR];
    clock += 100;
    expect(await tick(node, history)).toMatchObject({ state: 'waiting', blockedBy: { signature: 's1' } });
    distrusted = [LIAR];
    clock += 100;
    await advanceUntilCaughtUp(node, history);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past).filter((one) => one.signature !== 's1'));

    const watched = [{ address: VAULT, role: 'vault' }] as const;
    const quarantine = createQuarantineKeeper({ pool, writer: index.writer, mint: SCRIPTED_MINT, watched });
    expect(await quarantine.retryDue(neverAborted)).toEqual([]);
    honest.withheld.clear();
    clock += 5_000;
    expect(await quarantine.retryDue(neverAborted)).toMatchObject([{ signature: 's1' }]);
    expect(await indexedEvents(index)).toEqual(expectedEvents(past));
  });
});
