import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import type { IndexWriter } from '../../data/store/ports.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { accepted, tokenAmount } from '../ledger/testing/test-ledger.ts';
import { depositWire, stakeWire } from '../ledger/transactions.ts';
import { ledgerKeypair } from '../ledger/wallets.ts';
import { createEndpointPool, type EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { endpointsAt } from '../testing/endpoints-at.ts';
import { proxyTo, startHostileServer } from '../testing/hostile-server.ts';
import { openTestIndex, startTestChain, type TestChain, type TestIndex } from '../testing/test-chain.ts';
import { type LoopSizes, runChainLoop } from './chain-loop.ts';

const log = pino({ level: 'silent' });
const ALICE = ledgerKeypair('holder-1');

let ledger: TestChain;
const opened: TestIndex[] = [];
beforeAll(async () => {
  ledger = await startTestChain({ history: true });
});
afterAll(() => ledger.close());
afterEach(async () => {
  for (const index of opened.splice(0)) await index.close();
});

async function freshIndex(): Promise<TestIndex> {
  const index = await openTestIndex(ledger.identity);
  opened.push(index);
  return index;
}

/** Runs the loop until `isDone`, looked at after each commit. */
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
    settleEvents: async (outcome) => {
      await writer.settleEvents(outcome);
      if (await isDone()) controller.abort();
    },
  };
  const { pool, identity } = ledger;
  await runChainLoop({ pool, writer: observed, identity, pollMs: 5, log, signal: controller.signal, sizes });
}

async function sums(index: TestIndex) {
  const events = await index.events();
  const sumOf = (account: string) =>
    events.filter((event) => event.account === account).reduce((sum, { delta }) => sum + delta, 0n);
  return { vault: sumOf(LEDGER.vault), pool: sumOf(LEDGER.stakeVault) };
}

const balances = () => ({
  vault: tokenAmount(ledger.chain, LEDGER.vault),
  pool: tokenAmount(ledger.chain, LEDGER.stakeVault),
});
const agree = async (index: TestIndex) => {
  const [indexed, held] = [await sums(index), balances()];
  return indexed.vault === held.vault && indexed.pool === held.pool;
};

/**
 * Events by account in the order of its history; which account is read first in a round is left to chance.
 */
async function historyOf(index: TestIndex) {
  const events = await index.events();
  return [LEDGER.vault, LEDGER.stakeVault].map((account) =>
    events.filter((event) => event.account === account),
  );
}

describe('indexing a ledger with a past', () => {
  it('gives events that add up to the balances, each counterparty named', async () => {
    const index = await freshIndex();
    await run(index.writer, () => agree(index));
    expect(await sums(index)).toEqual(balances());
    const events = await index.events();
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['stake', 'unstake', 'deposit', 'withdraw']),
    );
    expect(events.every(({ wallet, status }) => wallet !== null && status === 'finalized')).toBe(true);
  });

  it('gives the same rows when stopped after any number of commits, at any size, as in one run', async () => {
    const whole = await freshIndex();
    await run(whole.writer, () => agree(whole));
    const expected = await historyOf(whole);
    const sizes = fc.record({
      pageSize: fc.integer({ min: 7, max: 300 }),
      windowSize: fc.integer({ min: 2, max: 80 }),
      windowsAhead: fc.integer({ min: 1, max: 4 }),
      batchSize: fc.integer({ min: 1, max: 50 }),
      requestsAtOnce: fc.integer({ min: 1, max: 6 }),
    });
    const stops = fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, stops, async (chosen, runs) => {
        const index = await freshIndex();
        for (const commits of runs) {
          let left = commits;
          await run(
            index.writer,
            async () => {
              left -= 1;
              return left <= 0 || (await agree(index));
            },
            chosen,
          );
        }
        if (!(await agree(index))) await run(index.writer, () => agree(index), chosen);
        expect(await historyOf(index)).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  });

  it('follows what happens next, and makes it final when the chain is', async () => {
    const index = await freshIndex();
    await run(index.writer, () => agree(index));
    const before = (await index.events()).length;
    const blockhash = () => ledger.chain.latestBlockhash().blockhash;
    ledger.advance(SLOT_MILLISECONDS);
    accepted(ledger.chain.send(depositWire(ALICE, { amount: 11n }, blockhash()), { skipPreflight: false }));
    accepted(
      ledger.chain.send(stakeWire(ALICE, { amount: 12n, nonce: 900 }, blockhash()), { skipPreflight: false }),
    );
    await run(index.writer, () => agree(index));
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

  it('keeps the account snapshot current while nothing happens', async () => {
    const index = await freshIndex();
    const controller = new AbortController();
    const slots: number[] = [];
    const first = ledger.chain.clock().slot;
    const { pool, identity } = ledger;
    await runChainLoop({
      pool,
      writer: index.writer,
      identity,
      pollMs: 5,
      log,
      signal: controller.signal,
      onSnapshot: (slot) => {
        slots.push(slot);
        if (slots.length === 2) controller.abort();
        ledger.advance(SLOT_MILLISECONDS);
      },
    });
    expect(slots).toEqual([first, first + 1]);
    expect((await index.reader.latestSnapshot(0)).chain).toMatchObject({
      vaultBalance: balances().vault,
      totalStaked: balances().pool,
    });
  });
});

describe('news of a history that is read', () => {
  it('names a slot up to which every event of the chain is indexed and settled', async () => {
    const index = await freshIndex();
    const controller = new AbortController();
    const told: number[] = [];
    let deposits = 0;
    const deposit = () => {
      deposits += 1;
      const { blockhash } = ledger.chain.latestBlockhash();
      const wire = depositWire(ALICE, { amount: BigInt(50_000 + deposits) }, blockhash);
      accepted(ledger.chain.send(wire, { skipPreflight: false }));
      ledger.advance(20 * SLOT_MILLISECONDS);
    };
    const checks: Promise<void>[] = [];
    const check = async (slot: number) => {
      const provisional = await index.writer.provisionalEvents(slot, 1);
      const listed = ledger.chain.signaturesFor(LEDGER.vault, { limit: 1_000 });
      if (listed.kind === 'unknown-cursor') throw new Error('The ledger lists nothing.');
      const upTo = new Set(
        listed.rows.filter((row) => row.slot <= slot && row.err === null).map(({ signature }) => signature),
      );
      const events = (await index.events()).filter(({ account }) => account === LEDGER.vault);
      expect(provisional).toEqual([]);
      expect(new Set(events.filter((event) => event.slot <= slot).map(({ signature }) => signature))).toEqual(
        upTo,
      );
    };
    const { pool, identity } = ledger;
    const loop = runChainLoop({
      pool,
      writer: index.writer,
      identity,
      pollMs: 5,
      log,
      signal: controller.signal,
      onHistoryRead(slot) {
        told.push(slot);
        if (told.length % 50 === 1 && deposits < 4) {
          checks.push(check(slot));
          deposit();
        }
        if (deposits === 4) controller.abort();
      },
    });
    await loop;
    await Promise.all(checks);
    expect(checks).toHaveLength(4);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBeLessThanOrEqual(ledger.chain.clock().slot - 32);
  });
});

describe('a call that keeps failing', () => {
  it.each([
    ['getSignaturesForAddress', -32011],
    ['getTransaction', -32603],
  ])('leaves the figures fresh and the endpoint active: %s', async (method, code) => {
    const index = await freshIndex();
    let codes: Record<string, number> = { [method]: code };
    const moody = await startHostileServer(proxyTo(ledger.url, () => codes));
    const pool = createEndpointPool({ endpoints: endpointsAt(moody.url) });
    const controller = new AbortController();
    const snapshots: number[] = [];
    const { writer, reader } = index;
    const loop = runChainLoop({
      pool,
      writer,
      identity: ledger.identity,
      pollMs: 5,
      log,
      signal: controller.signal,
      onSnapshot: (slot) => void snapshots.push(slot),
    });
    const vaultBalance = async () => (await reader.latestSnapshot(0)).chain?.vaultBalance;
    for (let deposit = 1; deposit <= 3; deposit += 1) {
      ledger.advance(SLOT_MILLISECONDS);
      const { blockhash } = ledger.chain.latestBlockhash();
      const wire = depositWire(ALICE, { amount: BigInt(1_000 + deposit) + BigInt(-code) }, blockhash);
      accepted(ledger.chain.send(wire, { skipPreflight: false }));
      await expect.poll(vaultBalance, { interval: 10 }).toBe(balances().vault);
    }
    await expect.poll(() => pool.health()[0]?.errorCount, { interval: 10 }).toBeGreaterThan(0);
    expect(pool.health()).toMatchObject([{ active: true, lastError: expect.stringContaining(method) }]);
    expect(await index.events()).toEqual([]);
    codes = {};
    await expect.poll(() => agree(index), { interval: 50 }).toBe(true);
    controller.abort();
    await loop;
    await moody.close();
  });
});

describe('a transaction that no endpoint can tell', () => {
  it('holds up its own account alone', async () => {
    const index = await freshIndex();
    await run(index.writer, () => agree(index));
    ledger.advance(SLOT_MILLISECONDS);
    const post = (wire: Uint8Array) => accepted(ledger.chain.send(wire, { skipPreflight: false })).signature;
    const { blockhash } = ledger.chain.latestBlockhash();
    const untold = [61n, 62n].map((amount) => post(depositWire(ALICE, { amount }, blockhash)));
    const staked = [63n, 64n].map((amount) =>
      post(stakeWire(ALICE, { amount, nonce: Number(900n + amount) }, blockhash)),
    );
    const forget = (calls: readonly RpcCall<unknown>[], replies: unknown) =>
      (replies as readonly object[]).map((reply, at) =>
        untold.includes(String(calls[at]?.params[0])) ? { ...reply, value: null } : reply,
      ) as never;
    const forgetful: EndpointPool = {
      ...ledger.pool,
      batch: async (calls, signal) => forget(calls as never, await ledger.pool.batch(calls, signal)),
      askEach: async (calls, signal) =>
        (await ledger.pool.askEach(calls, signal)).map(({ endpoint, replies }) => ({
          endpoint,
          replies: forget(calls as never, replies),
        })),
    };
    const controller = new AbortController();
    const seen = async () => new Set((await index.events()).map(({ signature }) => signature));
    const writer: IndexWriter = {
      ...index.writer,
      commitEvents: async (batch) => {
        await index.writer.commitEvents(batch);
        const signatures = await seen();
        if (staked.every((signature) => signatures.has(signature))) controller.abort();
      },
    };
    const { identity } = ledger;
    await runChainLoop({ pool: forgetful, writer, identity, pollMs: 5, log, signal: controller.signal });
    const signatures = await seen();
    expect(staked.every((signature) => signatures.has(signature))).toBe(true);
    expect(untold.some((signature) => signatures.has(signature))).toBe(false);
  });
});

describe('a store that cannot be used any more', () => {
  it('ends the loop, with the words that the operator reads', async () => {
    const index = await freshIndex();
    const gone = new StartError('index.db is damaged.', EXIT.tryAgain);
    const writer: IndexWriter = { ...index.writer, commitEvents: () => Promise.reject(gone) };
    const { signal } = new AbortController();
    const { pool, identity } = ledger;
    await expect(runChainLoop({ pool, writer, identity, pollMs: 5, log, signal })).rejects.toBe(gone);
  });
});
