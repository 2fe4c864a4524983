import { ComputeBudgetProgram, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEDGER, ledgerAddress, ledgerKeypair } from './addresses.ts';
import { AirdropRefusedError, type LedgerChain, SLOT_MILLISECONDS } from './chain.ts';
import { createEngine } from './engine.ts';
import { createGenesis } from './genesis.ts';
import { openLedgerStore } from './ledger-store.ts';
import { createSlotClock } from './slot-clock.ts';
import { createSvm } from './svm.ts';
import { acceptedTransaction, openTestLedger, sendInstructions, tokenAmount } from './testing/test-ledger.ts';
import {
  bdAccountOf,
  createInstruction,
  depositTransactionBytes,
  signedTransactionBytes,
  signerAccount,
  stakeTransactionBytes,
  transferTransactionBytes,
} from './transactions.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerKeypair('stranger');
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});
afterEach(() => chain.close());

function sendDeposit(amount: bigint) {
  return chain.send(depositTransactionBytes(HOLDER, { amount }, chain.latestBlockhash().blockhash));
}

/** A transfer of more BD than the wallet has. It fails with the token program's `InsufficientFunds` (error 1). */
function overdraft(): Uint8Array {
  return depositTransactionBytes(HOLDER, { amount: 10n ** 15n }, chain.latestBlockhash().blockhash);
}

describe('sending a transaction', () => {
  it('moves the tokens and stores the balances before and after', () => {
    const before = tokenAmount(chain, LEDGER.vault);
    const count = chain.transactionCount();
    const transaction = acceptedTransaction(sendDeposit(5_000_000n));
    const vault = transaction.postTokenBalances.find((balance) => balance.owner === LEDGER.vaultOwner);
    expect(tokenAmount(chain, LEDGER.vault)).toBe(before + 5_000_000n);
    expect(vault).toMatchObject({ mint: LEDGER.mint, amount: before + 5_000_000n, decimals: 6 });
    expect(transaction.fee).toBe(5_000n);
    expect(chain.transaction(transaction.signature)).toEqual(transaction);
    expect(chain.transactionCount()).toBe(count + 1);
  });

  it('numbers the transactions of each slot from 0', () => {
    const [first, second] = [acceptedTransaction(sendDeposit(1n)), acceptedTransaction(sendDeposit(2n))];
    advance(SLOT_MILLISECONDS);
    const third = acceptedTransaction(sendDeposit(3n));
    expect([first.position, second.position, third.position]).toEqual([0, 1, 0]);
    expect([second.slot - first.slot, third.slot - first.slot]).toEqual([0, 1]);
  });

  it('accepts a blockhash of the ledger for 150 slots', () => {
    expect(chain.send(depositTransactionBytes(HOLDER, { amount: 1n }, LEDGER.mint))).toMatchObject({
      err: 'BlockhashNotFound',
    });
    const wires = [1n, 2n].map((amount) =>
      depositTransactionBytes(HOLDER, { amount }, chain.latestBlockhash().blockhash),
    ) as [Uint8Array, Uint8Array];
    advance(150 * SLOT_MILLISECONDS);
    expect(chain.send(wires[0], { skipPreflight: true }).kind).toBe('accepted');
    advance(SLOT_MILLISECONDS);
    expect(chain.send(wires[1], { skipPreflight: true })).toMatchObject({ err: 'BlockhashNotFound' });
  });

  it('rejects a key of small order, for which anyone can sign', () => {
    const wire = Buffer.from(signedTransactionBytes([], [HOLDER], chain.latestBlockhash().blockhash));
    // If the key and R are the curve's neutral point and S is 0, the signature equation holds for every message.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    wire.set([...neutral, ...new Uint8Array(32)], 1);
    wire.set(neutral, 65 + 4);
    expect(chain.send(wire, { skipPreflight: true })).toMatchObject({ err: 'SignatureFailure' });
  });

  it('charges no other account if the fee payer is not a wallet', () => {
    const holder = HOLDER.publicKey.toBase58();
    const before = chain.account(holder)?.lamports;
    const message = new TransactionMessage({
      payerKey: new PublicKey('Sysvar1nstructions1111111111111111111111111'),
      recentBlockhash: chain.latestBlockhash().blockhash,
      // Without the ledger's check, LiteSVM would take the fee from the next signer, even though that account is read-only.
      instructions: [
        createInstruction(
          MEMO_PROGRAM,
          [{ ...signerAccount(holder), isWritable: false }],
          Buffer.from([0xff]),
        ),
      ],
    }).compileToLegacyMessage();
    const options = { verifySignatures: false, replaceBlockhash: true, accounts: [] };
    const outcome = chain.simulate(new VersionedTransaction(message).serialize(), options);
    expect(outcome).toMatchObject({ result: { err: 'AccountNotFound' } });
    expect(chain.account(holder)?.lamports).toBe(before);
  });

  it('rejects a payer without an account, and a payer that cannot afford the fee', () => {
    const empty = () => signedTransactionBytes([], [STRANGER], chain.latestBlockhash().blockhash);
    expect(chain.send(empty(), { skipPreflight: true })).toMatchObject({ err: 'AccountNotFound' });
    chain.airdrop(STRANGER.publicKey.toBase58(), chain.rentExemption(0));
    const expensive = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2_000_000 }),
    ];
    const outcome = sendInstructions(chain, [STRANGER], expensive, { skipPreflight: true });
    expect(outcome).toMatchObject({ kind: 'rejected', err: 'InsufficientFundsForFee' });
  });

  it('rejects calls to unknown programs and to the loaders', () => {
    const call = (program: string) =>
      sendInstructions(chain, [HOLDER], [createInstruction(program, [])], { skipPreflight: true });
    expect(call(ledgerAddress('nothing'))).toMatchObject({ err: 'ProgramAccountNotFound' });
    expect(call('BPFLoaderUpgradeab1e11111111111111111111111')).toMatchObject({
      err: { InstructionError: [0, 'UnsupportedProgramId'] },
    });
  });

  it('changes nothing if a transaction fails in preflight', () => {
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports;
    const outcome = chain.send(overdraft());
    expect(outcome).toMatchObject({ kind: 'rejected', err: { InstructionError: [0, { Custom: 1 }] } });
    expect(chain.account(HOLDER.publicKey.toBase58())?.lamports).toBe(lamports);
  });

  it('stores a transaction that fails with skipPreflight, with its error, logs and fee', () => {
    const vault = tokenAmount(chain, LEDGER.vault);
    const lamports = chain.account(HOLDER.publicKey.toBase58())?.lamports ?? 0n;
    const transaction = acceptedTransaction(chain.send(overdraft(), { skipPreflight: true }));
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
    const silenced = vi.spyOn(console, 'error').mockReturnValue();
    chain.on('transaction', () => {
      throw new Error('listener failed');
    });
    const off = chain.on('transaction', (transaction) => seen.push(transaction.signature));
    chain.on('accountChange', (address) => changed.push(address));
    const first = acceptedTransaction(sendDeposit(1n));
    off();
    acceptedTransaction(sendDeposit(2n));
    silenced.mockRestore();
    expect(seen).toEqual([first.signature]);
    expect(new Set(changed)).toEqual(
      new Set([HOLDER.publicKey.toBase58(), bdAccountOf(HOLDER.publicKey.toBase58()), LEDGER.vault]),
    );
  });
});

describe('the faucet', () => {
  it('can send the same amount to an address twice in one slot', () => {
    const address = STRANGER.publicKey.toBase58();
    const signatures = [chain.airdrop(address, 2_000_000n), chain.airdrop(address, 2_000_000n)];
    expect(new Set(signatures).size).toBe(2);
    expect(chain.account(address)?.lamports).toBe(4_000_000n);
    expect(() => chain.airdrop('no address', 1n)).toThrow(RangeError);
  });

  it('rejects more lamports than it has', () => {
    expect(() => chain.airdrop(STRANGER.publicKey.toBase58(), 10n ** 18n)).toThrow(AirdropRefusedError);
  });
});

describe('the clock', () => {
  it('starts a slot every 400 ms, never goes back, and knows the time of each past slot', () => {
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
  it('discards the unsaved changes and announces nothing', () => {
    const { chain: fullDiskChain, fillDisk } = openLedgerOnFullDisk();
    const announced: unknown[] = [];
    fullDiskChain.on('transaction', (transaction) => announced.push(transaction));
    fullDiskChain.on('accountChange', (address) => announced.push(address));
    fillDisk();
    const stranger = ledgerAddress('stranger');
    const before = [tokenAmount(fullDiskChain, LEDGER.vault), tokenAmount(fullDiskChain, LEDGER.stakeVault)];
    const { blockhash } = fullDiskChain.latestBlockhash();
    const wires = [
      depositTransactionBytes(HOLDER, { amount: 5n }, blockhash),
      stakeTransactionBytes(HOLDER, { nonce: 0, amount: 5n }, blockhash),
      transferTransactionBytes(HOLDER, { to: stranger, amount: 5n }, blockhash),
    ];
    for (const wire of wires)
      expect(() => fullDiskChain.send(wire, { skipPreflight: true })).toThrow(/disk is full/);
    expect([tokenAmount(fullDiskChain, LEDGER.vault), tokenAmount(fullDiskChain, LEDGER.stakeVault)]).toEqual(
      before,
    );
    expect(fullDiskChain.account(bdAccountOf(stranger))).toBeNull();
    expect([...fullDiskChain.programAccounts(LEDGER.stakeProgram)]).toHaveLength(1);
    expect(announced).toEqual([]);
  });
});

describe('slots', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

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
