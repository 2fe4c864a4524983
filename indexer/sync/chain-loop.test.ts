// @module-tag slow
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { LEDGER, ledgerKeypair } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { acceptedTransaction, tokenAmount } from '../ledger/testing/test-ledger.ts';
import {
  depositTransactionBytes,
  LOCK_SECONDS,
  stakeTransactionBytes,
  unstakeTransactionBytes,
  withdrawalTransactionBytes,
} from '../ledger/transactions.ts';
import { createEndpointPool, type EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { RpcRequestError } from '../rpc/rpc-errors.ts';
import { endpointsAt, proxyTo, startFakeServer } from '../testing/fake-server.ts';
import {
  neverExceedsSlotRate,
  openTestIndex,
  startTestChain,
  type TestChain,
  type TestIndex,
} from '../testing/test-chain.ts';
import { type LoopSizes, runChainLoop } from './chain-loop.ts';

const log = pino({ level: 'silent' });
const neverAborted = new AbortController().signal;
const ALICE = ledgerKeypair('holder-1');

let ledger: TestChain;
const openedIndexes: TestIndex[] = [];
beforeAll(async () => {
  ledger = await startTestChain();
  stake(5n, 1);
  stake(6n, 2);
  deposit(8n);
  ledger.advance(Number(LOCK_SECONDS + 1n) * 1_000);
  send((blockhash) => unstakeTransactionBytes(ALICE, { nonce: 1 }, blockhash));
  send((blockhash) => withdrawalTransactionBytes({ to: ALICE.publicKey.toBase58(), amount: 7n }, blockhash));
  ledger.advance(40 * SLOT_MILLISECONDS);
  return () => ledger.close();
});
afterEach(async () => {
  for (const index of openedIndexes.splice(0)) await index.close();
});

async function openFreshIndex(): Promise<TestIndex> {
  const index = await openTestIndex(ledger.identity);
  openedIndexes.push(index);
  return index;
}

const runLoop = (
  writer: IndexWriter,
  options: Partial<Parameters<typeof runChainLoop>[0]>,
): Promise<void> => {
  const { pool, identity } = ledger;
  return runChainLoop({ pool, writer, identity, pollMs: 5, log, signal: neverAborted, ...options });
};

/** Runs the loop until `isDone` returns true after a commit. */
async function run(
  writer: IndexWriter,
  isDone: () => boolean | Promise<boolean>,
  sizes: Partial<LoopSizes> = {},
): Promise<void> {
  const controller = new AbortController();
  const observed: IndexWriter = {
    ...writer,
    commitEvents: async (batch) => {
      await writer.commitEvents(batch);
      if (await isDone()) controller.abort();
    },
  };
  await runLoop(observed, { signal: controller.signal, sizes });
}

async function sumsOf(index: TestIndex) {
  const events = await index.events();
  const sumOf = (account: string) =>
    events.filter((event) => event.account === account).reduce((sum, { delta }) => sum + delta, 0n);
  return { vault: sumOf(LEDGER.vault), pool: sumOf(LEDGER.stakeVault) };
}

const chainBalances = () => ({
  vault: tokenAmount(ledger.chain, LEDGER.vault),
  pool: tokenAmount(ledger.chain, LEDGER.stakeVault),
});
const agreesWithChain = async (index: TestIndex) => {
  const [indexed, onChain] = [await sumsOf(index), chainBalances()];
  return indexed.vault === onChain.vault && indexed.pool === onChain.pool;
};

const send = (build: (blockhash: string) => Uint8Array): string => {
  const wire = build(ledger.chain.latestBlockhash().blockhash);
  return acceptedTransaction(ledger.chain.send(wire, { skipPreflight: false })).signature;
};
const deposit = (amount: bigint) =>
  send((blockhash) => depositTransactionBytes(ALICE, { amount }, blockhash));
const stake = (amount: bigint, nonce: number) =>
  send((blockhash) => stakeTransactionBytes(ALICE, { amount, nonce }, blockhash));

describe('indexing a ledger with a history', () => {
  it('produces events that add up to the balances, with every counterparty', async () => {
    const index = await openFreshIndex();
    await run(index.writer, () => agreesWithChain(index));
    expect(await sumsOf(index)).toEqual(chainBalances());
    const events = await index.events();
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['stake', 'unstake', 'deposit', 'withdraw']),
    );
    expect(events.every(({ wallet, status }) => wallet !== null && status === 'finalized')).toBe(true);
  });

  it('adds new transactions, and finalizes them when the chain does', async () => {
    const index = await openFreshIndex();
    await run(index.writer, () => agreesWithChain(index));
    const before = (await index.events()).length;
    ledger.advance(SLOT_MILLISECONDS);
    deposit(11n);
    stake(12n, 900);
    await run(index.writer, () => agreesWithChain(index));
    const added = (await index.events()).slice(before);
    expect(added.map(({ kind, delta, status }) => [kind, delta, status]).sort()).toEqual([
      ['deposit', 11n, 'confirmed'],
      ['stake', 12n, 'confirmed'],
    ]);
    ledger.advance(40 * SLOT_MILLISECONDS);
    const isFinal = async () => (await index.events()).every(({ status }) => status === 'finalized');
    await run(index.writer, isFinal);
    expect(await isFinal()).toBe(true);
  });
});

describe('a loop that is triggered by a websocket', () => {
  it('indexes a movement without waiting for the next poll', async () => {
    const index = await openFreshIndex();
    const controller = new AbortController();
    const websockets = endpointsAt(ledger.url);
    // With this interval, no poll is due before the test ends.
    const ended = runLoop(index.writer, {
      websocketEndpoints: websockets,
      pollMs: 3_600_000,
      signal: controller.signal,
    });
    await expect.poll(() => agreesWithChain(index)).toBe(true);
    ledger.advance(SLOT_MILLISECONDS);
    deposit(21n);
    await expect.poll(() => agreesWithChain(index)).toBe(true);
    controller.abort();
    await ended;
  });
});

describe('the slot up to which history is read', () => {
  it('is reported once every event up to it is indexed and final', async () => {
    const index = await openFreshIndex();
    const controller = new AbortController();
    const slots: number[] = [];
    let deposits = 0;
    const checks: Promise<void>[] = [];
    const check = async (slot: number) => {
      const listed = ledger.chain.signaturesFor(LEDGER.vault, { limit: 1_000 });
      if (listed.kind === 'unknown-cursor') throw new Error('the ledger lists nothing');
      const signaturesUpToSlot = new Set(
        listed.rows.filter((row) => row.slot <= slot && row.err === null).map(({ signature }) => signature),
      );
      const events = (await index.events()).filter(({ account }) => account === LEDGER.vault);
      const upToSlot = events.filter((event) => event.slot <= slot);
      expect(upToSlot.every(({ status }) => status === 'finalized')).toBe(true);
      expect(new Set(upToSlot.map(({ signature }) => signature))).toEqual(signaturesUpToSlot);
    };
    await runLoop(index.writer, {
      signal: controller.signal,
      onHistoryRead(slot) {
        slots.push(slot);
        if (slots.length % 25 === 1 && deposits < 2) {
          checks.push(check(slot));
          deposits += 1;
          deposit(BigInt(50_000 + deposits));
          ledger.advance(20 * SLOT_MILLISECONDS);
        }
        if (deposits === 2) controller.abort();
      },
    });
    await Promise.all(checks);
    expect(checks).toHaveLength(2);
    expect(slots).toEqual(slots.toSorted((a, b) => a - b));
    expect(slots.at(-1)).toBeLessThanOrEqual(ledger.chain.clock().slot - 32);
  });
});

describe('a call that keeps failing', () => {
  it.each([
    ['getSignaturesForAddress', -32011],
    ['getTransaction', -32603],
  ])('leaves the figures fresh and the endpoint active: %s', async (method, code) => {
    const index = await openFreshIndex();
    let codes: Record<string, number> = { [method]: code };
    const moody = await startFakeServer(proxyTo(ledger.url, () => codes));
    const pool = createEndpointPool({
      endpoints: endpointsAt(moody.url),
      exceedsSlotRate: neverExceedsSlotRate,
    });
    const controller = new AbortController();
    const { writer, reader } = index;
    const running = runLoop(writer, { pool, pollMs: 100, signal: controller.signal });
    const vaultBalance = async () => (await reader.latestSnapshot(0)).chain?.vaultBalance;
    for (let count = 1; count <= 2; count += 1) {
      ledger.advance(SLOT_MILLISECONDS);
      deposit(BigInt(1_000 + count - code));
      await expect.poll(vaultBalance, { interval: 100 }).toBe(chainBalances().vault);
    }
    await expect.poll(() => pool.health()[0]?.errorCount, { interval: 100 }).toBeGreaterThan(0);
    expect(pool.health()).toMatchObject([{ active: true, lastError: expect.stringContaining(method) }]);
    expect(await index.events()).toEqual([]);
    codes = {};
    await expect.poll(() => agreesWithChain(index), { interval: 200 }).toBe(true);
    controller.abort();
    await running;
    await moody.close();
  });
});

function editingPool(edit: (signature: string, reply: object) => object): EndpointPool {
  const editAll = (calls: readonly RpcCall<unknown>[], replies: unknown) =>
    (replies as readonly object[]).map((reply, index) => {
      const call = calls[index];
      return call?.method === 'getTransaction' ? edit(String(call.params[0]), reply) : reply;
    }) as never;
  return {
    ...ledger.pool,
    batch: async (calls, signal) => editAll(calls as never, await ledger.pool.batch(calls, signal)),
    requestFromEach: async (calls, signal) =>
      (await ledger.pool.requestFromEach(calls, signal)).map(({ endpoint, replies }) => ({
        endpoint,
        replies: editAll(calls as never, replies),
      })),
  };
}

describe('a transaction that no endpoint returns', () => {
  it('blocks only its own account', async () => {
    const index = await openFreshIndex();
    await run(index.writer, () => agreesWithChain(index));
    ledger.advance(SLOT_MILLISECONDS);
    const withheld = [61n, 62n].map(deposit);
    const staked = [63n, 64n].map((amount) => stake(amount, Number(900n + amount)));
    const forgetful = editingPool((signature, reply) =>
      withheld.includes(signature) ? { ...reply, value: null } : reply,
    );
    const controller = new AbortController();
    const indexedSignatures = async () => new Set((await index.events()).map(({ signature }) => signature));
    const writer: IndexWriter = {
      ...index.writer,
      commitEvents: async (batch) => {
        await index.writer.commitEvents(batch);
        const signatures = await indexedSignatures();
        if (staked.every((signature) => signatures.has(signature))) controller.abort();
      },
    };
    await runLoop(writer, { pool: forgetful, signal: controller.signal });
    const signatures = await indexedSignatures();
    expect(staked.every((signature) => signatures.has(signature))).toBe(true);
    expect(withheld.some((signature) => signatures.has(signature))).toBe(false);
  });
});

describe('a quarantined transaction', () => {
  it('is retried without a restart, even if the commit after its quarantine fails', async () => {
    const index = await openFreshIndex();
    ledger.advance(SLOT_MILLISECONDS);
    const deposited = deposit(71n);
    ledger.advance(40 * SLOT_MILLISECONDS);
    const error = new RpcRequestError('getTransaction', -32015, 'Transaction version (2) is not supported');
    let isRefused = true;
    const refusing = editingPool((signature, reply) =>
      signature === deposited && isRefused ? { ok: false, error, endpointName: 'one' } : reply,
    );
    let failures = 0;
    const writer: IndexWriter = {
      ...index.writer,
      commitEvents: async (batch) => {
        if (batch.account === LEDGER.vault && !isRefused && failures === 0) {
          failures += 1;
          throw new Error('database or disk is full');
        }
        await index.writer.commitEvents(batch);
        if (batch.quarantined?.some(({ signature }) => signature === deposited)) isRefused = false;
      },
    };
    const controller = new AbortController();
    await runLoop(writer, {
      pool: refusing,
      signal: controller.signal,
      sizes: { budgetMs: 60_000 },
      onHistoryRead: () => controller.abort(),
    });
    expect(failures).toBe(1);
    expect(await index.writer.quarantined()).toEqual([]);
    expect((await index.events()).some(({ signature }) => signature === deposited)).toBe(true);
  });
});

describe('a store that becomes unusable', () => {
  it('stops the loop with its error', async () => {
    const index = await openFreshIndex();
    const gone = new StartError('index.db is damaged', EXIT.tryAgain);
    const writer: IndexWriter = { ...index.writer, commitEvents: () => Promise.reject(gone) };
    await expect(runLoop(writer, {})).rejects.toBe(gone);
  });
});
