import { createTransferInstruction } from '@solana/spl-token';
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  associatedTokenAddress,
  LEDGER,
  ledgerKeypair,
  stakeEntryAddress,
  stakeMintAddress,
  stakePoolAddress,
  stakeVaultAddress,
} from '../ledger/addresses.ts';
import type { LedgerTransaction } from '../ledger/chain.ts';
import { writeStakePool } from '../ledger/genesis.ts';
import {
  bdAccountOf,
  LOCK_SECONDS,
  openTokenAccountInstruction,
  stakeInstruction,
  unstakeInstruction,
} from '../ledger/transactions.ts';
import { TOKEN_PROGRAM } from './accounts.ts';
import {
  type LedgerToRead,
  startLedgerToRead,
  WATCHED_POOL_VAULT,
  WATCHED_VAULT,
} from './testing/ledger-transactions.ts';

const ALICE = ledgerKeypair('holder-1');
const BOB = ledgerKeypair('holder-2');
const alice = ALICE.publicKey.toBase58();
const bob = BOB.publicKey.toBase58();
const OTHER_POOL = stakePoolAddress(LEDGER.mint, LEDGER.creator, 1);

let ledger: LedgerToRead;
beforeAll(async () => {
  ledger = await startLedgerToRead();
  writeStakePool(ledger.chain, 1);
  for (const wallet of [ALICE, BOB]) {
    const owner = wallet.publicKey.toBase58();
    const mints = [LEDGER.stakeMint, stakeMintAddress(OTHER_POOL)];
    ledger.send([wallet], ...mints.map((mint) => openTokenAccountInstruction(owner, owner, mint)));
  }
});
afterAll(() => ledger.close());

const stake = (nonce: number, amount: bigint, wallet = alice) =>
  stakeInstruction(wallet, { nonce, amount, duration: LOCK_SECONDS });
const unstake = (nonce: number, wallet = alice) => unstakeInstruction(wallet, { nonce });
const entryAddress = (nonce: number, wallet = alice) => stakeEntryAddress(LEDGER.stakePool, wallet, nonce);

function inOtherPool(instruction: TransactionInstruction, nonce: number): TransactionInstruction {
  const receiptAccount = (mint: string) => associatedTokenAddress(alice, mint, TOKEN_PROGRAM);
  const otherPoolAddresses = new Map([
    [LEDGER.stakePool, OTHER_POOL],
    [LEDGER.stakeVault, stakeVaultAddress(OTHER_POOL)],
    [LEDGER.stakeMint, stakeMintAddress(OTHER_POOL)],
    [entryAddress(nonce), stakeEntryAddress(OTHER_POOL, alice, nonce)],
    [receiptAccount(LEDGER.stakeMint), receiptAccount(stakeMintAddress(OTHER_POOL))],
  ]);
  const keys = instruction.keys.map(({ pubkey, ...flags }) => ({
    pubkey: new PublicKey(otherPoolAddresses.get(pubkey.toBase58()) ?? pubkey),
    ...flags,
  }));
  return new TransactionInstruction({ ...instruction, keys });
}

const gift = (amount: bigint) =>
  createTransferInstruction(
    new PublicKey(bdAccountOf(alice)),
    new PublicKey(LEDGER.stakeVault),
    ALICE.publicKey,
    amount,
  );

async function movementsIn(transaction: LedgerTransaction, watched = WATCHED_POOL_VAULT) {
  expect(transaction.err).toBeNull();
  return (await ledger.read(transaction, watched)).movements;
}

async function onlyMovementIn(transaction: LedgerTransaction, watched = WATCHED_POOL_VAULT) {
  const [only = null, ...more] = await movementsIn(transaction, watched);
  expect(more).toEqual([]);
  return only;
}

const waitForUnlock = () => ledger.advance(Number(LOCK_SECONDS) * 1_000 + 1_000);

describe('a real stake or unstake, read through JSON-RPC', () => {
  it('changes the balance of the pool, and names the wallet and the entry that it opens or closes', async () => {
    const staked = ledger.send([ALICE], stake(1, 600n));
    const expected = { kind: 'stake', wallet: alice, delta: 600n, stakeEntry: entryAddress(1) };
    expect(await onlyMovementIn(staked)).toEqual(expected);
    expect(await onlyMovementIn(staked, WATCHED_VAULT)).toBeNull();
    waitForUnlock();
    const ended = ledger.send([ALICE], unstake(1));
    expect(await onlyMovementIn(ended)).toEqual({ ...expected, kind: 'unstake', delta: -600n });
  });

  it('names its entry even if it deletes that entry', async () => {
    ledger.send([ALICE], stake(2, 50n));
    waitForUnlock();
    const ended = ledger.send([ALICE], unstakeInstruction(alice, { nonce: 2, closesEntry: true }));
    expect(await onlyMovementIn(ended)).toMatchObject({
      kind: 'unstake',
      delta: -50n,
      stakeEntry: entryAddress(2),
    });
  });

  it('yields one movement per wallet if two wallets stake in one transaction', async () => {
    const both = ledger.send([ALICE, BOB], stake(5, 10n), stake(1, 30n, bob));
    expect(await movementsIn(both)).toEqual([
      { kind: 'stake', wallet: alice, delta: 10n, stakeEntry: entryAddress(5) },
      { kind: 'stake', wallet: bob, delta: 30n, stakeEntry: entryAddress(1, bob) },
    ]);
  });

  it('yields one movement per call, in order, then one for tokens sent in the same transaction', async () => {
    ledger.send([ALICE], stake(6, 100n));
    waitForUnlock();
    const grown = ledger.send([ALICE], unstake(6), gift(7n), stake(7, 150n));
    expect(await movementsIn(grown)).toEqual([
      { kind: 'unstake', wallet: alice, delta: -100n, stakeEntry: entryAddress(6) },
      { kind: 'stake', wallet: alice, delta: 150n, stakeEntry: entryAddress(7) },
      { kind: 'other', wallet: alice, delta: 7n, stakeEntry: null },
    ]);
  });

  it('in another pool of the program yields no event for the watched pool', async () => {
    const other = ledger.send([ALICE], inOtherPool(stake(9, 70n), 9));
    expect(await onlyMovementIn(other)).toBeNull();
    const watched = { ...WATCHED_POOL_VAULT, address: stakeVaultAddress(OTHER_POOL) };
    expect(await onlyMovementIn(other, watched)).toMatchObject({
      kind: 'stake',
      delta: 70n,
      stakeEntry: stakeEntryAddress(OTHER_POOL, alice, 9),
    });
  });

  it('yields no event if it fails', async () => {
    ledger.send([ALICE], stake(11, 5n));
    const early = ledger.send([ALICE], unstake(11));
    expect(early.err).not.toBeNull();
    expect((await ledger.read(early, WATCHED_POOL_VAULT)).movement).toBeNull();
  });
});
