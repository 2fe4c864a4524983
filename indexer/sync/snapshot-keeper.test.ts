// @module-tag slow
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { STAKE_ENTRY } from '../../data/model/stake-layout.ts';
import type { ChainSnapshot } from '../../data/store/chain-rows.ts';
import { LEDGER, ledgerKeypair } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { acceptedTransaction, tokenAmount } from '../ledger/testing/test-ledger.ts';
import {
  depositTransactionBytes,
  LOCK_SECONDS,
  stakeTransactionBytes,
  unstakeTransactionBytes,
} from '../ledger/transactions.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { RetryableRpcError, RpcRequestError } from '../rpc/rpc-errors.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { SnapshotError } from './snapshot.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';

const neverAborted = new AbortController().signal;
const ALICE = ledgerKeypair('holder-1');

let ledger: TestChain;
let committed: ChainSnapshot[];
let logged: Record<string, unknown>[];
let methods: string[];
/** `clock` is the monotonic time (ms), and `wallClock` the system clock's time. */
let clock: number;
let wallClock: number;
let startedAt: number;
let recordingPool: EndpointPool;

beforeAll(async () => {
  ledger = await startTestChain();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => ledger.close());
beforeEach(() => {
  committed = [];
  logged = [];
  methods = [];
  clock = 1_000;
  startedAt = ledger.chain.clock().unixTime * 1_000;
  wallClock = startedAt;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  vi.spyOn(Date, 'now').mockImplementation(() => wallClock);
  recordingPool = {
    ...ledger.pool,
    batch: (calls, signal) => {
      methods.push(...(calls as readonly RpcCall<unknown>[]).map(({ method }) => method));
      return ledger.pool.batch(calls, signal);
    },
  };
});

const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
const WARN = 40;
const ERROR = 50;

function createKeeper(pool: EndpointPool = recordingPool, identity = ledger.identity) {
  const writer = { commitSnapshot: async (snapshot: ChainSnapshot) => void committed.push(snapshot) };
  return createSnapshotKeeper({ pool, writer, identity, log });
}

async function update(
  snapshots: ReturnType<typeof createKeeper>,
  pool: EndpointPool = recordingPool,
): Promise<number | null> {
  const replies = await pool.batch([snapshots.accountsCall()], neverAborted);
  return snapshots.update(replies[0], neverAborted);
}

interface EditedReply {
  endpointName: string;
  readonly value: { readonly value?: { data: Buffer; lamports: bigint }[] };
}
const editingPool = (edit: (replies: readonly EditedReply[]) => void): EndpointPool => ({
  ...ledger.pool,
  batch: async (calls, signal) => {
    const replies = await ledger.pool.batch(calls, signal);
    edit(replies as unknown as readonly EditedReply[]);
    return replies;
  },
});
/** A batch in which the call for the stake entries gets an error. */
const refusingBatch = (error: RetryableRpcError | RpcRequestError) =>
  (async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
    const replies = (await recordingPool.batch(calls, signal)) as unknown as readonly object[];
    return replies.length > 1 ? replies.with(1, { ok: false, error, endpointName: 'one' }) : replies;
  }) as never;

const entryReadCount = () => methods.filter((method) => method === 'getProgramAccounts').length;
/** Milliseconds after which a slot is certainly final. */
const FINAL_MS = 40 * SLOT_MILLISECONDS;
/** Moves the start of the stake entry that was opened at `openedAt` (Unix seconds) by `seconds`. */
function moveStart(data: Buffer, openedAt: number, seconds: number): void {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(openedAt));
  const at = data.indexOf(time);
  if (at !== -1) data.writeBigUInt64LE(BigInt(openedAt + seconds), at);
}

const blockhash = () => ledger.chain.latestBlockhash().blockhash;
const send = (wire: Uint8Array) => {
  ledger.advance(SLOT_MILLISECONDS);
  return acceptedTransaction(ledger.chain.send(wire, { skipPreflight: false }));
};

describe('the account snapshot', () => {
  it('holds the accounts and entries of one slot', async () => {
    const stakedAt = send(stakeTransactionBytes(ALICE, { amount: 700n, nonce: 1 }, blockhash())).blockTime;
    send(stakeTransactionBytes(ALICE, { amount: 300n, nonce: 2 }, blockhash()));
    expect(await update(createKeeper())).toBe(ledger.chain.clock().slot);
    const [snapshot] = committed;
    expect(snapshot).toMatchObject({
      slot: ledger.chain.clock().slot,
      readAt: wallClock,
      vaultBalance: tokenAmount(ledger.chain, LEDGER.vault),
      vaultLamports: ledger.chain.account(LEDGER.vault)?.lamports,
      totalStaked: 1_000n,
      poolVaultBalance: tokenAmount(ledger.chain, LEDGER.stakeVault),
      supply: 1_000_000_000_000_000n,
    });
    const first = snapshot?.entries.find(({ nonce }) => nonce === 1);
    expect(first).toMatchObject({
      wallet: ALICE.publicKey.toBase58(),
      amount: 700n,
      createdAt: stakedAt * 1_000,
      unlocksAt: (stakedAt + Number(LOCK_SECONDS)) * 1_000,
      closedAt: null,
    });
  });

  it('keeps a closed entry with its closing time', async () => {
    ledger.advance(Number(LOCK_SECONDS) * 1_000 + 2_000);
    const { blockTime } = send(unstakeTransactionBytes(ALICE, { nonce: 1 }, blockhash()));
    await update(createKeeper());
    expect(committed[0]?.totalStaked).toBe(300n);
    expect(committed[0]?.entries.find(({ nonce }) => nonce === 1)?.closedAt).toBe(blockTime * 1_000);
  });

  it('is committed immediately after a change, and otherwise at intervals while the chain advances', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    expect(await update(snapshots)).toBeNull();
    send(depositTransactionBytes(ALICE, { amount: 5n }, blockhash()));
    expect(await update(snapshots)).not.toBeNull();
    expect(await update(snapshots)).toBeNull();
    clock += 6_000;
    wallClock += 6_000;
    ledger.advance(SLOT_MILLISECONDS);
    expect(await update(snapshots)).not.toBeNull();
    expect(committed.map(({ readAt }) => readAt)).toEqual([startedAt, startedAt, startedAt + 6_000]);
  });

  it('ages while the chain does not advance, and stays fresh while it advances without transactions', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    for (let seconds = 6; seconds <= 96; seconds += 6) {
      clock += 6_000;
      wallClock += 6_000;
      expect(await update(snapshots)).toBeNull();
    }
    expect(committed.map(({ readAt }) => readAt)).toEqual([startedAt]);
    ledger.advance(96_000);
    expect(await update(snapshots)).not.toBeNull();
    expect(committed.at(-1)?.readAt).toBe(startedAt + 96_000);
  });

  it('is committed immediately after a change within its slot, but with an unchanged time', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    wallClock += 2_000;
    const { blockhash } = ledger.chain.latestBlockhash();
    acceptedTransaction(
      ledger.chain.send(depositTransactionBytes(ALICE, { amount: 78n }, blockhash), { skipPreflight: false }),
    );
    expect(await update(snapshots)).toBe(committed[0]?.slot);
    expect(committed.map(({ readAt }) => readAt)).toEqual([startedAt, startedAt]);
  });

  it('is committed if the system clock stepped back', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    wallClock -= 30_000;
    clock += 6_000;
    ledger.advance(SLOT_MILLISECONDS);
    ledger.advance(SLOT_MILLISECONDS);
    expect(await update(snapshots)).not.toBeNull();
    expect(committed.at(-1)?.readAt).toBe(startedAt - 30_000);
  });

  it.each([
    ['the host’s clock is an hour ahead, or the only endpoint an hour behind', 3_600],
    ['the host’s clock is an hour behind', -3_600],
  ])('has the chain’s time if %s, and the difference is logged once', async (_when, seconds) => {
    const snapshots = createKeeper();
    wallClock += seconds * 1_000;
    for (let slots = 1; slots <= 3; slots += 1) {
      clock += 6_000;
      ledger.advance(2 * SLOT_MILLISECONDS);
      await update(snapshots);
      const chainTime = ledger.chain.clock().unixTime * 1_000;
      expect(committed.at(-1)).toMatchObject({ readAt: chainTime, clockDifference: wallClock - chainTime });
    }
    wallClock = ledger.chain.clock().unixTime * 1_000;
    clock += 6_000;
    ledger.advance(2 * SLOT_MILLISECONDS);
    await update(snapshots);
    expect(committed.at(-1)?.readAt).toBe(wallClock);
    expect(logged).toMatchObject([{ level: ERROR, seconds: expect.closeTo(seconds, -1) }, {}]);
  });

  it('reads the entries again until the last change to the pool is final, and then at long intervals', async () => {
    const snapshots = createKeeper();
    const deposit = async () => {
      send(depositTransactionBytes(ALICE, { amount: 6n }, blockhash()));
      const before = entryReadCount();
      await update(snapshots);
      return entryReadCount() - before;
    };
    expect(await deposit()).toBe(1);
    ledger.advance(FINAL_MS);
    expect(await deposit()).toBe(1);
    expect(await deposit()).toBe(0);
    send(stakeTransactionBytes(ALICE, { amount: 10n, nonce: 3 }, blockhash()));
    await update(snapshots);
    expect(committed.at(-1)?.entries.some(({ nonce }) => nonce === 3)).toBe(true);
    expect(await deposit()).toBe(1);
    ledger.advance(FINAL_MS);
    expect(await deposit()).toBe(1);
    expect(await deposit()).toBe(0);
    clock += 300_000;
    expect(await deposit()).toBe(1);
    expect(await deposit()).toBe(0);
  });

  it('has the new lock of a stake that landed again after a fork, even if the pool is unchanged', async () => {
    const stakedAt = send(stakeTransactionBytes(ALICE, { amount: 20n, nonce: 4 }, blockhash())).blockTime;
    let secondsLater = 7;
    const forkedPool = editingPool((replies) => {
      for (const { data } of replies.flatMap(({ value }) => value.value ?? []))
        moveStart(data, stakedAt, secondsLater);
    });
    const entry = () => committed.at(-1)?.entries.find(({ nonce }) => nonce === 4);
    const snapshots = createKeeper(forkedPool);
    await update(snapshots, forkedPool);
    expect(entry()?.createdAt).toBe((stakedAt + 7) * 1_000);
    secondsLater = 3;
    ledger.advance(FINAL_MS);
    clock += 5_000;
    await update(snapshots, forkedPool);
    expect(entry()?.createdAt).toBe((stakedAt + 3) * 1_000);
    // The stake's new lock start is not finalized yet, so the keeper reads the entries again although the pool is unchanged.
    secondsLater = 0;
    ledger.advance(SLOT_MILLISECONDS);
    clock += 5_000;
    await update(snapshots, forkedPool);
    expect(entry()).toMatchObject({
      createdAt: stakedAt * 1_000,
      unlocksAt: (stakedAt + Number(LOCK_SECONDS)) * 1_000,
    });
  });

  it('counts stake entries with fewer or more reserved bytes than today', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    const expected = committed.at(-1)?.entries;
    expect(expected?.length).toBeGreaterThan(0);
    for (const length of [STAKE_ENTRY.size - 2, STAKE_ENTRY.size + 36]) {
      const other = editingPool((replies) => {
        for (const account of replies.flatMap(({ value }) => value.value ?? [])) {
          if (account.data?.length !== STAKE_ENTRY.size) continue;
          account.data = Buffer.concat([account.data, Buffer.alloc(36)]).subarray(0, length);
        }
      });
      await update(createKeeper(other), other);
      expect(committed.at(-1)?.entries).toEqual(expected);
    }
  });

  it('has the other figures while the vault is closed, which is logged once', async () => {
    let isClosed = false;
    const other = editingPool(([accounts]) => {
      if (isClosed && accounts?.value.value) accounts.value.value[0] = null as never;
    });
    const snapshots = createKeeper(other);
    for (const closed of [false, true, true, false]) {
      isClosed = closed;
      clock += 6_000;
      ledger.advance(SLOT_MILLISECONDS);
      await update(snapshots, other);
    }
    const [open, closed] = committed;
    expect(closed).toMatchObject({
      vaultBalance: null,
      vaultLamports: null,
      vaultProblem: expect.stringContaining(LEDGER.vault),
      totalStaked: open?.totalStaked,
      entries: open?.entries,
    });
    expect(committed.at(-1)?.vaultBalance).toBe(open?.vaultBalance);
    expect(logged).toMatchObject([{ level: ERROR, reason: expect.stringContaining(LEDGER.vault) }, {}]);
  });

  it('counts unreadable entries, logs their number once, and includes the other entries', async () => {
    let isCut = true;
    const other = editingPool((replies) => {
      const accounts = replies.flatMap(({ value }) => value.value ?? []);
      const entry = accounts.find(({ data }) => data?.length === STAKE_ENTRY.size);
      if (entry && isCut) entry.data = entry.data.subarray(0, STAKE_ENTRY.offsetOf('closedAt'));
    });
    const snapshots = createKeeper(other);
    for (const cut of [true, true, false]) {
      isCut = cut;
      ledger.advance(SLOT_MILLISECONDS);
      clock += 300_000;
      await update(snapshots, other);
    }
    const [first, , last] = committed;
    expect([first?.unreadEntries, last?.unreadEntries]).toEqual([1, 0]);
    expect(last?.entries.length).toBe((first?.entries.length ?? 0) + 1);
    expect(logged).toMatchObject([{ level: ERROR, count: 1 }, {}]);
  });

  describe('with entries from a different slot than the accounts', () => {
    /**
     * A pool that adds `slots` to the slot of the entries.
     * @param sendsStakes whether a new stake is sent before each request for the accounts alone
     */
    const skewedPool = (slots: number, sendsStakes = false): EndpointPool => ({
      ...ledger.pool,
      batch: async (calls, signal) => {
        if (calls.length === 1 && sendsStakes) {
          send(stakeTransactionBytes(ALICE, { amount: 1n, nonce: 100 + nonceCount++ }, blockhash()));
        }
        const unbounded = calls.map(({ minContextSlot: _, ...call }) => ({
          ...call,
          params: call.params.map((param) =>
            Object.hasOwn(Object(param), 'minContextSlot') ? { ...Object(param), minContextSlot: 0 } : param,
          ),
        }));
        methods.push(...unbounded.map(({ method }) => method));
        const replies: readonly unknown[] = await ledger.pool.batch(unbounded, signal);
        const entries = replies[1] as { value: { slot: number } } | undefined;
        if (!entries) return replies as never;
        const moved = { ...entries, value: { ...entries.value, slot: entries.value.slot + slots } };
        return replies.with(1, moved) as never;
      },
    });
    let nonceCount = 0;

    it.each([3, 30])('accepts entries if the stakes before and after match (%i slots)', async (slots) => {
      const pool = skewedPool(slots);
      await update(createKeeper(pool), pool);
      expect(committed).toMatchObject([{ stakesProblem: null, entries: expect.any(Array) }]);
      expect(entryReadCount()).toBe(1);
    });

    it('accepts entries that are always a slot earlier if the stakes do not change in between', async () => {
      const skewed = skewedPool(-1);
      const pool: EndpointPool = {
        ...skewed,
        batch: (calls, signal) => {
          ledger.advance(SLOT_MILLISECONDS);
          return skewed.batch(calls, signal);
        },
      };
      const snapshots = createKeeper(pool);
      const readCounts: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        methods.length = 0;
        await update(snapshots, pool);
        readCounts.push(entryReadCount());
        clock += 6_000;
      }
      // The first snapshot needs an earlier reading of the accounts. Later ones are compared with the committed accounts.
      expect(readCounts).toEqual([2, 1, 1]);
      expect(committed.map(({ stakesProblem }) => stakesProblem)).toEqual([null, null, null]);
      expect(logged).toEqual([]);
    });

    it('accepts entries in the last attempt if the stakes never add up to the pool’s total', async () => {
      send(stakeTransactionBytes(ALICE, { amount: 50n, nonce: 6_000 }, blockhash()));
      const skewed = skewedPool(3);
      const pool: EndpointPool = {
        ...skewed,
        batch: async (calls, signal) => {
          const replies = await skewed.batch(calls, signal);
          const entries = replies[1] as unknown as { value: { value: unknown[] } } | undefined;
          entries?.value.value.pop();
          return replies;
        },
      };
      await update(createKeeper(pool), pool);
      expect(committed).toMatchObject([{ stakesProblem: null, unreadEntries: 0 }]);
      expect(entryReadCount()).toBe(3);
    });

    it('accepts a difference of a few slots while stakes keep changing, and logs it once', async () => {
      const pool = skewedPool(3, true);
      const snapshots = createKeeper(pool);
      await update(snapshots, pool);
      await update(snapshots, pool);
      expect(committed.length).toBeGreaterThan(0);
      expect(logged).toMatchObject([{ level: WARN, slots: 3 }]);
      expect(entryReadCount()).toBeLessThanOrEqual(6);
    });

    it('rejects a difference of many slots while stakes keep changing', async () => {
      const pool = skewedPool(30, true);
      await expect(update(createKeeper(pool), pool)).rejects.toThrow(SnapshotError);
      expect(committed).toHaveLength(0);
      expect(entryReadCount()).toBe(3);
    });
  });

  it.each([
    ['has another stake', 1],
    ['has the same stake at another time', 100],
  ])('rejects entries of a fork that %s and is dropped after %i slot(s)', async (difference, slots) => {
    const stakedAt = send(
      stakeTransactionBytes(ALICE, { amount: 40n, nonce: 5_000 + slots }, blockhash()),
    ).blockTime;
    let isForked = true;
    const forkingPool: EndpointPool = {
      ...ledger.pool,
      batch: async (calls, signal) => {
        if (calls.length === 1) {
          // The fork is dropped after the entries were read, and before the accounts are read again.
          isForked = false;
          ledger.advance(slots * SLOT_MILLISECONDS);
        }
        const replies = (await ledger.pool.batch(calls, signal)) as unknown as readonly object[];
        if (!isForked || replies.length === 1) return replies as never;
        const entries = replies[1] as { value: { slot: number; value: { account: { data: Buffer } }[] } };
        const { slot, value } = entries.value;
        if (difference === 'has another stake') value.pop();
        else for (const { data } of value as unknown as { data: Buffer }[]) moveStart(data, stakedAt, 7);
        return replies.with(1, { ...entries, value: { value, slot: slot + 1 } }) as never;
      },
    };
    const snapshots = createKeeper(forkingPool);
    await snapshots.update(
      (await ledger.pool.batch([snapshots.accountsCall()], neverAborted))[0],
      neverAborted,
    );
    await update(createKeeper());
    expect(isForked).toBe(false);
    const [found, expected] = committed;
    expect(found?.entries).toEqual(expected?.entries);
  });

  it('never combines accounts and entries from two endpoints, which may be on two forks', async () => {
    let remainingMixes = 2;
    const mixing: EndpointPool = {
      ...ledger.pool,
      batch: async (calls, signal) => {
        const replies = (await ledger.pool.batch(calls, signal)) as unknown as readonly object[];
        if (replies.length > 1) remainingMixes -= 1;
        return replies.map((reply, index) => ({
          ...reply,
          endpointName: remainingMixes >= 0 ? `node-${index}` : 'one',
        })) as never;
      },
    };
    await update(createKeeper(mixing), mixing);
    expect(remainingMixes).toBe(-1);
    expect(committed).toHaveLength(1);
  });

  describe.each([
    ['-32601', new RpcRequestError('getProgramAccounts', -32601, 'Method not found')],
    ['410', new RpcRequestError('getProgramAccounts', 410, 'The RPC call or parameters have been disabled.')],
    ['HTTP 403 or 410', new RetryableRpcError('refused', 'HTTP 410')],
  ])('after a refusal to list the stake entries (%s)', (_case, error) => {
    const refused = refusingBatch(error);

    it('has the entries of another endpoint', async () => {
      const pool = { ...ledger.pool, batch: refused };
      await update(createKeeper(pool), pool);
      expect(committed).toMatchObject([{ stakesProblem: null, totalStaked: expect.any(BigInt) }]);
      expect(committed[0]?.entries.length).toBeGreaterThan(0);
    });

    it('has no stakes if no endpoint serves them, logs this once, and retries at intervals', async () => {
      const pool = { ...ledger.pool, batch: refused, requestWithoutPenalty: refused };
      const snapshots = createKeeper(pool);
      const stakesProblem = `one: ${error.message}`;
      for (const amount of [301n, 302n, 303n]) {
        send(depositTransactionBytes(ALICE, { amount }, blockhash()));
        await update(snapshots, pool);
        const vaultBalance = tokenAmount(ledger.chain, LEDGER.vault);
        expect(committed.at(-1)).toMatchObject({ vaultBalance, entries: [], stakesProblem });
      }
      expect(entryReadCount()).toBe(2);
      clock += 30_000;
      ledger.advance(SLOT_MILLISECONDS);
      await update(snapshots, pool);
      expect(entryReadCount()).toBe(3);
      expect(logged).toMatchObject([{ level: ERROR, reason: stakesProblem }]);
      pool.requestWithoutPenalty = ledger.pool.requestWithoutPenalty as never;
      // The retry does not wait for the chain to advance.
      clock += 30_000;
      await update(snapshots, pool);
      expect(committed.at(-1)?.stakesProblem).toBeNull();
      expect(committed.at(-1)?.entries.length).toBeGreaterThan(0);
      expect(logged).toHaveLength(2);
    });
  });

  it('has no stakes once requests for the entries have failed for half a minute', async () => {
    const failing = refusingBatch(new RetryableRpcError('timeout', 'no answer within 15000 ms'));
    const pool = { ...ledger.pool, batch: failing };
    const snapshots = createKeeper(pool);
    await expect(update(snapshots, pool)).rejects.toThrow(RetryableRpcError);
    clock += 29_999;
    await expect(update(snapshots, pool)).rejects.toThrow(RetryableRpcError);
    expect(committed).toEqual([]);
    clock += 1;
    await update(snapshots, pool);
    expect(committed).toMatchObject([{ entries: [], stakesProblem: 'no answer within 15000 ms' }]);
  });

  it('is not committed if other endpoints deny the change', async () => {
    const snapshots = createKeeper();
    await update(snapshots);
    const [reply] = await ledger.pool.batch([snapshots.accountsCall()], neverAborted);
    if (!reply.ok) throw reply.error;
    const [vault, ...others] = reply.value.value;
    const lie = vault && { ...vault, lamports: vault.lamports + 1n };
    const lying = {
      ...reply,
      value: { ...reply.value, value: [lie ?? null, ...others] },
      endpointName: 'liar',
    };
    expect(await snapshots.update(lying, neverAborted)).toBeNull();
    expect(committed).toHaveLength(1);
  });

  describe('read together with the entries and denied by other endpoints', () => {
    const lying = () =>
      editingPool((replies) => {
        if (replies.length === 1) return;
        for (const reply of replies) {
          const [vault] = reply.value.value ?? [];
          if (vault) vault.lamports += 1n;
          reply.endpointName = 'liar';
        }
      });

    it('is not committed', async () => {
      const pool = lying();
      expect(await update(createKeeper(pool), pool)).toBeNull();
      expect(committed).toEqual([]);
    });

    it('is committed later with newly read entries, and not with those from before the problem', async () => {
      const refused = refusingBatch(new RpcRequestError('getProgramAccounts', -32601, 'Method not found'));
      const pool = { ...ledger.pool, batch: refused, requestWithoutPenalty: refused };
      const snapshots = createKeeper(pool);
      await update(snapshots, pool);
      expect(committed).toMatchObject([{ entries: [], stakesProblem: expect.any(String) }]);
      pool.requestWithoutPenalty = lying().batch as never;
      clock += 30_000;
      expect(await update(snapshots, pool)).toBeNull();
      pool.requestWithoutPenalty = ledger.pool.requestWithoutPenalty as never;
      ledger.advance(SLOT_MILLISECONDS);
      expect(await update(snapshots, pool)).not.toBeNull();
      expect(committed.at(-1)?.stakesProblem).toBeNull();
      expect(committed.at(-1)?.entries.length).toBeGreaterThan(0);
    });
  });

  describe('from a lying endpoint that two others contradict a slot later', () => {
    /** Which answers falsely add one lamport. */
    let lies: 'never' | 'with the entries' | 'always';
    const withLie = <T extends readonly object[]>(replies: T): T =>
      replies.map((reply) => {
        const { value } = reply as { value: { value?: { lamports: bigint }[] } };
        const [vault, ...others] = value.value ?? [];
        if (!vault || !('data' in vault) || others.length !== 3) return { ...reply, endpointName: 'liar' };
        const changed = [{ ...vault, lamports: vault.lamports + 1n }, ...others];
        return { ...reply, value: { ...value, value: changed }, endpointName: 'liar' };
      }) as unknown as T;
    const outvoted: EndpointPool = {
      batch: (async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
        const replies = await ledger.pool.batch(calls, signal);
        const isLie = lies === 'always' || (lies === 'with the entries' && calls.length > 1);
        return isLie ? withLie(replies) : replies.map((reply) => ({ ...reply, endpointName: 'liar' }));
      }) as never,
      requestFromEach: (async (calls: readonly RpcCall<unknown>[], signal: AbortSignal) => {
        ledger.advance(SLOT_MILLISECONDS);
        const replies = await ledger.pool.batch(calls, signal);
        return ['b', 'c'].map((endpoint) => ({ endpoint, replies }));
      }) as never,
      health: () => ['liar', 'b', 'c'].map((name) => ({ name, active: true })) as never,
      distrust() {},
      noteContradiction() {},
    } as unknown as EndpointPool;
    const lamports = () => ledger.chain.account(LEDGER.vault)?.lamports;

    it.each(['with the entries', 'always'] as const)(
      'is not committed if it is the first one (lies: %s)',
      async (when) => {
        lies = when;
        expect(await update(createKeeper(outvoted), outvoted)).toBeNull();
        expect(committed).toEqual([]);
      },
    );

    it('has the state that the two others agree on', async () => {
      lies = 'never';
      const snapshots = createKeeper(outvoted);
      await update(snapshots, outvoted);
      ledger.advance(FINAL_MS);
      clock += 6_000;
      await update(snapshots, outvoted);
      for (const amount of [91n, 92n]) {
        send(depositTransactionBytes(ALICE, { amount }, blockhash()));
        lies = 'always';
        expect(await update(snapshots, outvoted)).toBe(ledger.chain.clock().slot);
        expect(committed.at(-1)).toMatchObject({
          vaultBalance: tokenAmount(ledger.chain, LEDGER.vault),
          vaultLamports: lamports(),
        });
      }
    });
  });

  it('is not committed if the stake pool is missing, because that does not mean zero stakes', async () => {
    const identity = { ...ledger.identity, stakePool: ALICE.publicKey.toBase58() };
    await expect(update(createKeeper(ledger.pool, identity))).rejects.toThrow(SnapshotError);
    expect(committed).toEqual([]);
  });
});
