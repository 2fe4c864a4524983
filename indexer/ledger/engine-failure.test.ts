import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startActors } from './actors.ts';
import { LEDGER } from './addresses.ts';
import { type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { createEngine } from './engine.ts';
import { found } from './genesis.ts';
import { openLedgerStore } from './ledger-store.ts';
import { createSlotClock } from './slot-clock.ts';
import { createSvm } from './svm.ts';
import { openTestLedger, tokenAmount } from './testing/test-ledger.ts';
import { bdAccountOf } from './token-instructions.ts';
import { depositWire, stakeWire, transferWire } from './transactions.ts';
import { ledgerAddress, ledgerKeypair } from './wallets.ts';

const HOLDER = ledgerKeypair('holder-1');

/** A ledger whose disk is full once told so. */
function openLedgerOnFullDisk(): { chain: LedgerChain; fillDisk: () => void } {
  let isFull = false;
  const store = openLedgerStore(':memory:');
  const failing: typeof store = {
    ...store,
    commit(...args) {
      if (isFull) throw new Error('database or disk is full');
      store.commit(...args);
    },
  };
  let now = 0;
  const clock = createSlotClock({ genesisTime: 0, genesisHash: LEDGER.mint, reachedSlot: 0, now: () => now });
  const chain = createEngine({ svm: createSvm(), store: failing, clock, genesisHash: LEDGER.mint });
  found(chain, () => {
    now += SLOT_MILLISECONDS;
  });
  return {
    chain,
    fillDisk() {
      isFull = true;
    },
  };
}

describe('a ledger that cannot write', () => {
  it('keeps nothing in memory that is not on disk, and tells nobody', () => {
    const { chain, fillDisk } = openLedgerOnFullDisk();
    const told: unknown[] = [];
    chain.on('transaction', (transaction) => told.push(transaction));
    chain.on('accountChange', (address) => told.push(address));
    fillDisk();
    const stranger = ledgerAddress('stranger');
    const before = [tokenAmount(chain, LEDGER.vault), tokenAmount(chain, LEDGER.stakeVault)];
    const { blockhash } = chain.latestBlockhash();
    const wires = [
      depositWire(HOLDER, { amount: 5n }, blockhash),
      stakeWire(HOLDER, { nonce: 0, amount: 5n }, blockhash),
      transferWire(HOLDER, { to: stranger, amount: 5n }, blockhash),
    ];
    for (const wire of wires) expect(() => chain.send(wire, { skipPreflight: true })).toThrow(/disk is full/);
    expect([tokenAmount(chain, LEDGER.vault), tokenAmount(chain, LEDGER.stakeVault)]).toEqual(before);
    expect(chain.account(bdAccountOf(stranger))).toBeNull();
    expect([...chain.programAccounts(LEDGER.stakeProgram)]).toHaveLength(1);
    expect(told).toEqual([]);
  });
});

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is told slot by slot, and only while someone listens', () => {
    const { chain, advance } = openTestLedger();
    const pass = (milliseconds: number) => {
      advance(milliseconds);
      vi.advanceTimersByTime(milliseconds);
    };
    expect(vi.getTimerCount()).toBe(0);
    const slots: number[] = [];
    const off = chain.on('slot', ({ slot }) => slots.push(slot));
    const start = chain.clock().slot;
    for (let step = 0; step < 12; step += 1) pass(100);
    off();
    expect(slots).toEqual([start + 1, start + 2, start + 3]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on for the demo actors whatever fails, and ends when they are stopped', () => {
    const { chain } = openTestLedger();
    const broken: LedgerChain = {
      ...chain,
      send() {
        throw new Error('the ledger is away');
      },
    };
    const reports: string[] = [];
    const actors = startActors(broken, { seed: 1, report: (text) => reports.push(text) });
    vi.advanceTimersByTime(5 * 60_000);
    expect(reports.length).toBeGreaterThan(20);
    expect(new Set(reports)).toEqual(new Set(['a demo actor failed: the ledger is away']));
    actors.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
