import { ComputeBudgetProgram, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEDGER, ledgerAddress, ledgerKeypair } from './addresses.ts';
import { AirdropRefusedError, type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { createEngine } from './engine.ts';
import { createGenesis } from './genesis.ts';
import { openLedgerStore } from './ledger-store.ts';
import { createSlotClock } from './slot-clock.ts';
import { createSvm } from './svm.ts';
import { accepted, openTestLedger, sendInstructions, tokenAmount } from './testing/test-ledger.ts';
import {
  bdAccountOf,
  depositWire,
  instruction,
  signedWire,
  signer,
  stakeWire,
  transferWire,
} from './transactions.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerKeypair('stranger');
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});
afterEach(() => chain.close());

function send(amount: bigint, options = { skipPreflight: false }) {
  return chain.send(depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash), options);
}

/** Sends more BD than the wallet has, which fails with the token program's `InsufficientFunds` (error 1). */
function overdraft(): Uint8Array {
  return depositWire(HOLDER, { amount: 10n ** 15n }, chain.latestBlockhash().blockhash);
}

describe('sending a transaction', () => {
  it('moves the tokens and stores the balances before and after', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const count = chain.transactionCount();
    const transaction = accepted(send(5_000_000n));
    const vault = transaction.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before + 5_000_000n);
    expect(vault).toMatchObject({ mint: LEDGER.mint, amount: before + 5_000_000n, decimals: 6 });
    expect(transaction.fee).toBe(5_000n);
    expect(chain.transaction(transaction.signature)).toEqual(transaction);
    expect(chain.transactionCount()).toBe(count + 1);
  });

  it('numbers the transactions of each slot from 0', () => {
    const [first, second] = [accepted(send(1n)), accepted(send(2n))];
    advance(SLOT_MILLISECONDS);
    const third = accepted(send(3n));
    expect([first.position, second.position, third.position]).toEqual([0, 1, 0]);
    expect([second.slot - first.slot, third.slot - first.slot]).toEqual([0, 1]);
  });

  it('accepts the same transaction only once', () => {
    const wire = depositWire(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
    accepted(chain.send(wire, { skipPreflight: false }));
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({
      kind: 'rejected',
      err: 'AlreadyProcessed',
    });
  });

  it('accepts a blockhash of the ledger for 150 slots', () => {
    expect(
      chain.send(depositWire(HOLDER, { amount: 1n }, LEDGER.mint), { skipPreflight: true }),
    ).toMatchObject({
      err: 'BlockhashNotFound',
    });
    const wires = [1n, 2n].map((amount) =>
      depositWire(HOLDER, { amount }, chain.latestBlockhash().blockhash),
    ) as [Uint8Array, Uint8Array];
    advance(150 * SLOT_MILLISECONDS);
    expect(chain.send(wires[0], { skipPreflight: true }).kind).toBe('accepted');
    advance(SLOT_MILLISECONDS);
    expect(chain.send(wires[1], { skipPreflight: true })).toMatchObject({ err: 'BlockhashNotFound' });
  });

  it('rejects a signature over different bytes', () => {
    const wire = depositWire(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
    // Changes the amount's most significant byte. The transaction stays well-formed.
    wire[wire.length - 2] = 1;
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'SignatureFailure' });
  });

  it('rejects a signer of small order, for whom anyone can sign', () => {
    const wire = Buffer.from(signedWire([], [HOLDER], chain.latestBlockhash().blockhash));
    // With the curve's neutral point as key and as R, and S = 0, the equation is true for every message.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    wire.set([...neutral, ...new Uint8Array(32)], 1);
    wire.set(neutral, 65 + 4);
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'SignatureFailure' });
  });

  it('charges no other account if the first cannot pay', () => {
    const holder = HOLDER.publicKey.toBase58();
    const before = chain.account(holder)?.lamports;
    const message = new TransactionMessage({
      payerKey: new PublicKey('Sysvar1nstructions1111111111111111111111111'),
      recentBlockhash: chain.latestBlockhash().blockhash,
      // The runtime would take the fee from the next signer, even though it is read-only.
      instructions: [instruction(MEMO, [{ ...signer(holder), isWritable: false }], Buffer.from([0xff]))],
    }).compileToLegacyMessage();
    const options = { verifySignatures: false, replaceBlockhash: true, accounts: [] };
    const outcome = chain.simulate(new VersionedTransaction(message).serialize(), options);
    expect(outcome).toMatchObject({ result: { err: 'AccountNotFound' } });
    expect(chain.account(holder)?.lamports).toBe(before);
  });

  it('refuses a payer without an account, and one that cannot pay the fee', () => {
    const empty = () => signedWire([], [STRANGER], chain.latestBlockhash().blockhash);
    expect(chain.send(empty(), { skipPreflight: true })).toMatchObject({ err: 'AccountNotFound' });
    chain.airdrop(STRANGER.publicKey.toBase58(), chain.rentExemption(0));
    const dear = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2_000_000 }),
    ];
    const outcome = sendInstructions(chain, [STRANGER], dear, { skipPreflight: true });
    expect(outcome).toMatchObject({ kind: 'rejected', err: 'InsufficientFundsForFee' });
  });

  it('refuses unknown programs and the loaders', () => {
    const call = (program: string) =>
      sendInstructions(chain, [HOLDER], [instruction(program, [])], { skipPreflight: true });
    expect(call(ledgerAddress('nothing'))).toMatchObject({ err: 'ProgramAccountNotFound' });
    expect(call('BPFLoaderUpgradeab1e11111111111111111111111')).toMatchObject({
      err: { InstructionError: [0, 'UnsupportedProgramId'] },
    });
  });

  it('leaves no trace of a transaction that fails in preflight', () => {
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports;
    const outcome = chain.send(overdraft(), { skipPreflight: false });
    expect(outcome).toMatchObject({ kind: 'rejected', err: { InstructionError: [0, { Custom: 1 }] } });
    expect(chain.account(HOLDER.publicKey.toBase58())?.lamports).toBe(lamports);
  });

  it('stores a transaction that fails without preflight, with its error, log and fee', () => {
    const vault = tokenAmount(chain, LEDGER.vault);
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports ?? 0n;
    const transaction = accepted(chain.send(overdraft(), { skipPreflight: true }));
    expect(transaction.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(transaction.logs.at(-1)).toMatch(/failed: custom program error: 0x1/);
    expect(chain.account(HOLDER.publicKey.toBase58())?.lamports).toBe(lamports - 5_000n);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(vault);
    expect(chain.signaturesFor(LEDGER.vault, { limit: 1 })).toMatchObject({
      rows: [{ signature: transaction.signature, err: transaction.err }],
    });
  });

  it('announces the transaction and its accounts, even if a listener throws', () => {
    const seen: string[] = [];
    const changed: string[] = [];
    const quiet = console.error;
    console.error = () => undefined;
    chain.on('transaction', () => {
      throw new Error('listener failed');
    });
    const off = chain.on('transaction', (transaction) => seen.push(transaction.signature));
    chain.on('accountChange', (address) => changed.push(address));
    const first = accepted(send(1n));
    off();
    accepted(send(2n));
    console.error = quiet;
    expect(seen).toEqual([first.signature]);
    expect(new Set(changed)).toEqual(
      new Set([HOLDER.publicKey.toBase58(), bdAccountOf(HOLDER.publicKey.toBase58()), LEDGER.vault]),
    );
  });
});

describe('signatures of an address', () => {
  it('are paged newest first between two signatures, and oldest first after a position', () => {
    const sent = [1n, 2n, 3n, 4n, 5n].map((amount) => {
      advance(SLOT_MILLISECONDS);
      return accepted(send(amount));
    });
    const [a, b, c, d, e] = sent.map((transaction) => transaction.signature) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const page = (query: { before?: string; until?: string; limit: number }) => {
      const found = chain.signaturesFor(LEDGER.vault, query);
      return found.kind === 'found' ? found.rows.map((row) => row.signature) : found;
    };
    expect(page({ limit: 2 })).toEqual([e, d]);
    expect(page({ before: d, limit: 2 })).toEqual([c, b]);
    expect(page({ before: e, until: b, limit: 10 })).toEqual([d, c]);
    expect(page({ until: LEDGER.mint, limit: 1 })).toEqual({
      kind: 'unknown-cursor',
      signature: LEDGER.mint,
    });
    const after = { slot: sent[1]?.slot ?? 0, position: sent[1]?.position ?? 0 };
    const rows = chain.signaturesAscending(LEDGER.vault, after, 2);
    expect(rows.map((row) => row.signature)).toEqual([c, d]);
    expect(
      chain
        .signaturesAscending(LEDGER.vault, null, 100)
        .map((row) => row.signature)
        .slice(-5),
    ).toEqual([a, b, c, d, e]);
  });
});

describe('simulating a transaction', () => {
  const options = { verifySignatures: true, replaceBlockhash: false, accounts: [LEDGER.vault] };

  it('returns the outcome and changes nothing', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const wire = depositWire(HOLDER, { amount: 7n }, chain.latestBlockhash().blockhash);
    const outcome = chain.simulate(wire, options);
    const [vault] = outcome.kind === 'simulated' ? outcome.result.accounts : [];
    expect(Buffer.from(vault?.data ?? []).readBigUInt64LE(64)).toBe(before + 7n);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before);
    expect(chain.transaction(signatureOf(wire))).toBeNull();
    expect(chain.send(wire, { skipPreflight: false }).kind).toBe('accepted');
  });

  it('does not leave accounts that the transaction would create', () => {
    const stranger = STRANGER.publicKey.toBase58();
    const wire = transferWire(HOLDER, { to: stranger, amount: 1n }, chain.latestBlockhash().blockhash);
    expect(chain.simulate(wire, options)).toMatchObject({ result: { err: null } });
    expect(chain.account(bdAccountOf(stranger))).toBeNull();
    expect([...chain.tokenAccounts({ owner: stranger })]).toEqual([]);
  });

  it('returns the error of a transaction that would fail', () => {
    expect(chain.simulate(overdraft(), options)).toMatchObject({
      result: { err: { InstructionError: [0, { Custom: 1 }] } },
    });
  });
});

describe('the faucet', () => {
  it('sends equal amounts twice in one slot', () => {
    const address = STRANGER.publicKey.toBase58();
    const signatures = [chain.airdrop(address, 2_000_000n), chain.airdrop(address, 2_000_000n)];
    expect(new Set(signatures).size).toBe(2);
    expect(chain.account(address)?.lamports).toBe(4_000_000n);
    expect(() => chain.airdrop('no address', 1n)).toThrow(RangeError);
  });

  it('refuses too many lamports and too few', () => {
    const address = STRANGER.publicKey.toBase58();
    expect(() => chain.airdrop(address, 10n ** 18n)).toThrow(AirdropRefusedError);
    expect(() => chain.airdrop(address, 1n)).toThrow(AirdropRefusedError);
  });
});

describe('the clock', () => {
  it('has a slot every 400 ms, never goes back, and knows the time of each past slot', () => {
    const start = chain.clock();
    advance(10_000);
    const later = chain.clock();
    advance(-5_000);
    expect(later.slot - start.slot).toBe(25);
    expect(chain.clock()).toEqual(later);
    expect(chain.blockTime(start.slot)).toBe(start.unixTime);
    expect(chain.blockTime(later.slot + 1)).toBeNull();
    expect(chain.blockTime(-1)).toBeNull();
  });
});

/** A ledger whose disk is full after `fillDisk`. */
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
  createGenesis(chain, () => {
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
  it('keeps memory equal to the file, and announces nothing', () => {
    const { chain: full, fillDisk } = openLedgerOnFullDisk();
    const announced: unknown[] = [];
    full.on('transaction', (transaction) => announced.push(transaction));
    full.on('accountChange', (address) => announced.push(address));
    fillDisk();
    const stranger = ledgerAddress('stranger');
    const before = [tokenAmount(full, LEDGER.vault), tokenAmount(full, LEDGER.stakeVault)];
    const { blockhash } = full.latestBlockhash();
    const wires = [
      depositWire(HOLDER, { amount: 5n }, blockhash),
      stakeWire(HOLDER, { nonce: 0, amount: 5n }, blockhash),
      transferWire(HOLDER, { to: stranger, amount: 5n }, blockhash),
    ];
    for (const wire of wires) expect(() => full.send(wire, { skipPreflight: true })).toThrow(/disk is full/);
    expect([tokenAmount(full, LEDGER.vault), tokenAmount(full, LEDGER.stakeVault)]).toEqual(before);
    expect(full.account(bdAccountOf(stranger))).toBeNull();
    expect([...full.programAccounts(LEDGER.stakeProgram)]).toHaveLength(1);
    expect(announced).toEqual([]);
  });
});

describe('slots', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are announced one by one while there is a listener', () => {
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
});

function signatureOf(wire: Uint8Array): string {
  return Buffer.from(wire.subarray(1, 65)).toString('hex');
}
