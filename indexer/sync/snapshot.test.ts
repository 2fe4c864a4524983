import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSnapshot } from '../../data/store/ports.ts';
import { LEDGER } from '../ledger/addresses.ts';
import { SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { accepted, tokenAmount } from '../ledger/testing/test-ledger.ts';
import { depositWire, LOCK_SECONDS, stakeWire, unstakeWire } from '../ledger/transactions.ts';
import { ledgerKeypair } from '../ledger/wallets.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { createSnapshotKeeper, SnapshotError, type SnapshotKeeper } from './snapshot.ts';

const never = new AbortController().signal;
const ALICE = ledgerKeypair('holder-1');

let ledger: TestChain;
let committed: ChainSnapshot[];
let methods: string[];
/** Milliseconds passed, and what the system's clock says. */
let clock: number;
let wallClock: number;
let counting: EndpointPool;

beforeAll(async () => {
  ledger = await startTestChain();
});
afterAll(() => ledger.close());
beforeEach(() => {
  committed = [];
  methods = [];
  clock = 1_000;
  wallClock = 1_000_000;
  counting = {
    ...ledger.pool,
    batch: (calls, signal) => {
      methods.push(...(calls as readonly RpcCall<unknown>[]).map(({ method }) => method));
      return ledger.pool.batch(calls, signal);
    },
  };
});

function keeper(pool: EndpointPool = counting): SnapshotKeeper {
  const writer = { commitSnapshot: async (snapshot: ChainSnapshot) => void committed.push(snapshot) };
  return createSnapshotKeeper({
    pool,
    writer,
    identity: ledger.identity,
    now: () => wallClock,
    elapsed: () => clock,
  });
}

async function update(snapshots: SnapshotKeeper, pool: EndpointPool = counting): Promise<number | null> {
  const replies = await pool.batch([snapshots.accountsCall()], never);
  return snapshots.update(replies[0], never);
}

const blockhash = () => ledger.chain.latestBlockhash().blockhash;
const send = (wire: Uint8Array) => {
  ledger.advance(SLOT_MILLISECONDS);
  return accepted(ledger.chain.send(wire, { skipPreflight: false }));
};

describe('the account snapshot', () => {
  it('is what the accounts hold at one slot, entries included', async () => {
    const stakedAt = send(stakeWire(ALICE, { amount: 700n, nonce: 1 }, blockhash())).blockTime;
    send(stakeWire(ALICE, { amount: 300n, nonce: 2 }, blockhash()));
    expect(await update(keeper())).toBe(ledger.chain.clock().slot);
    const [snapshot] = committed;
    expect(snapshot).toMatchObject({
      slot: ledger.chain.clock().slot,
      readAt: wallClock,
      vaultBalance: tokenAmount(ledger.chain, LEDGER.vault),
      vaultLamports: ledger.chain.account(LEDGER.vault)?.lamports,
      totalStaked: 1_000n,
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

  it('keeps a closed entry with the time it was closed', async () => {
    ledger.advance(Number(LOCK_SECONDS) * 1_000 + 2_000);
    const { blockTime } = send(unstakeWire(ALICE, { nonce: 1 }, blockhash()));
    await update(keeper());
    expect(committed[0]?.totalStaked).toBe(300n);
    expect(committed[0]?.entries.find(({ nonce }) => nonce === 1)?.closedAt).toBe(blockTime * 1_000);
  });

  it('is committed on a change at once, and otherwise now and again as a sign of life', async () => {
    const snapshots = keeper();
    await update(snapshots);
    expect(await update(snapshots)).toBeNull();
    send(depositWire(ALICE, { amount: 5n }, blockhash()));
    expect(await update(snapshots)).not.toBeNull();
    expect(await update(snapshots)).toBeNull();
    clock += 2_000;
    wallClock += 2_000;
    expect(await update(snapshots)).not.toBeNull();
    expect(committed.map(({ readAt }) => readAt)).toEqual([1_000_000, 1_000_000, 1_002_000]);
  });

  it('is committed on where the system clock stepped back', async () => {
    const snapshots = keeper();
    await update(snapshots);
    wallClock -= 600_000;
    clock += 2_000;
    expect(await update(snapshots)).not.toBeNull();
    expect(committed.at(-1)?.readAt).toBe(400_000);
  });

  it('reads the entries only where the pool changed, or after a while', async () => {
    const snapshots = keeper();
    const reads = () => methods.filter((method) => method === 'getProgramAccounts').length;
    await update(snapshots);
    send(depositWire(ALICE, { amount: 6n }, blockhash()));
    await update(snapshots);
    expect(reads()).toBe(1);
    send(stakeWire(ALICE, { amount: 10n, nonce: 3 }, blockhash()));
    await update(snapshots);
    expect(reads()).toBe(2);
    expect(committed.at(-1)?.entries.some(({ nonce }) => nonce === 3)).toBe(true);
    clock += 60_000;
    await update(snapshots);
    expect(reads()).toBe(3);
  });

  it('never puts accounts and entries of two slots together', async () => {
    let skew = 3;
    const skewed: EndpointPool = {
      ...ledger.pool,
      batch: async (calls, signal) => {
        const replies = await ledger.pool.batch(calls, signal);
        const entries = (replies as readonly unknown[])[1] as
          | { ok: true; value: { slot: number } }
          | undefined;
        if (!entries || skew === 0) return replies;
        skew -= 1;
        const moved = { ok: true, value: { ...entries.value, slot: entries.value.slot + 1 } };
        return [(replies as readonly unknown[])[0], moved] as unknown as typeof replies;
      },
    };
    await update(keeper(skewed), skewed);
    expect(skew).toBe(0);
    expect(committed).toHaveLength(1);
    skew = 1_000;
    await expect(update(keeper(skewed), skewed)).rejects.toThrow(SnapshotError);
    expect(committed).toHaveLength(1);
  });

  it('is not committed at all where an account is missing: missing is not zero', async () => {
    const identity = { ...ledger.identity, vault: ALICE.publicKey.toBase58() };
    const writer = { commitSnapshot: async (snapshot: ChainSnapshot) => void committed.push(snapshot) };
    const snapshots = createSnapshotKeeper({ pool: ledger.pool, writer, identity });
    await expect(update(snapshots)).rejects.toThrow(/vault .* no longer the account/);
    expect(committed).toEqual([]);
  });
});
