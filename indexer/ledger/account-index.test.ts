import { type Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM } from '../chain/accounts.ts';
import { LEDGER, ledgerKeypair } from './addresses.ts';
import type { LedgerChain } from './chain.ts';
import { LOADER_PROGRAMS, SYSVAR_OWNER } from './programs.ts';
import { createSvm } from './svm.ts';
import { acceptedTransaction, openTestLedger, sendInstructions } from './testing/test-ledger.ts';
import {
  bdAccountOf,
  createInstruction,
  depositTransactionBytes,
  moveBdInstruction,
  signerAccount,
  transferTransactionBytes,
  writableAccount,
} from './transactions.ts';

const HOLDER = ledgerKeypair('holder-1');
const STRANGER = ledgerKeypair('stranger');

let chain: LedgerChain;
let advance: (milliseconds: number) => void;
beforeEach(() => {
  ({ chain, advance } = openTestLedger());
});
afterEach(() => chain.close());

function dataOf(program: string): Uint8Array[] {
  return [...chain.programAccounts(program)].map(([, account]) => account.data);
}

function areSameBuffers(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  return one.length === other.length && one.every((data, index) => data === other[index]);
}

describe('repeated reads return the same buffers, because copies would add up to gigabytes', () => {
  it('for the accounts of a program', () => {
    for (const program of [...LOADER_PROGRAMS, TOKEN_PROGRAM, LEDGER.stakeProgram])
      expect(areSameBuffers(dataOf(program), dataOf(program)), program).toBe(true);
  });

  it('for a single account', () => {
    expect(chain.account(LEDGER.vault)?.data).toBe(chain.account(LEDGER.vault)?.data);
    expect(chain.account(LEDGER.vault)).not.toBeNull();
  });

  it('for the programs that each transaction reads', () => {
    const svm = createSvm();
    const large = [...LOADER_PROGRAMS]
      .flatMap((loader) => svm.readOwned(loader))
      .filter(([, { data }]) => data.length > 1_000);
    expect(large.length).toBeGreaterThan(4);
    for (const [address] of large) expect(svm.read(address)?.data).toBe(svm.read(address)?.data);
  });
});

describe('a read after a transaction returns the new state', () => {
  it('for the lamports of a program', () => {
    const before = chain.account(TOKEN_PROGRAM)?.lamports ?? 0n;
    const toPubkey = new PublicKey(TOKEN_PROGRAM);
    const gift = SystemProgram.transfer({ fromPubkey: HOLDER.publicKey, toPubkey, lamports: 5 });
    acceptedTransaction(sendInstructions(chain, [HOLDER], [gift]));
    expect(chain.account(TOKEN_PROGRAM)?.lamports).toBe(before + 5n);
  });

  it('for the clock sysvar, which the runtime updates', () => {
    const clockSlot = (): bigint | undefined => {
      // The runtime updates the sysvar whenever a transaction runs.
      const wire = depositTransactionBytes(HOLDER, { amount: 1n }, chain.latestBlockhash().blockhash);
      acceptedTransaction(chain.send(wire));
      const [, account] =
        [...chain.programAccounts(SYSVAR_OWNER)].find(([address]) => address.startsWith('SysvarC1ock')) ?? [];
      return account && Buffer.from(account.data).readBigUInt64LE(0);
    };
    const before = clockSlot();
    advance(4_000);
    expect(clockSlot()).toBe((before ?? 0n) + 10n);
  });
});

describe('the index', () => {
  it('lists the token accounts of an owner and of a mint, and the accounts of a program', () => {
    const owner = STRANGER.publicKey.toBase58();
    const wire = transferTransactionBytes(
      HOLDER,
      { to: owner, amount: 9n },
      chain.latestBlockhash().blockhash,
    );
    acceptedTransaction(chain.send(wire));
    expect([...chain.tokenAccounts({ owner })].map(([address]) => address)).toEqual([bdAccountOf(owner)]);
    const holders = [...chain.tokenAccounts({ mint: LEDGER.mint })].map(([address]) => address);
    expect(holders).toContain(bdAccountOf(owner));
    expect([...chain.programAccounts(LEDGER.stakeProgram)].map(([address]) => address)).toEqual([
      LEDGER.stakePool,
    ]);
  });

  it('lists a token account under its new owner', () => {
    const [from, to] = ['first owner', 'second owner'].map(ledgerKeypair) as [Keypair, Keypair];
    const owner = from.publicKey.toBase58();
    chain.airdrop(owner, 10_000_000n);
    const wire = transferTransactionBytes(
      HOLDER,
      { to: owner, amount: 9n },
      chain.latestBlockhash().blockhash,
    );
    acceptedTransaction(chain.send(wire));
    const account = bdAccountOf(owner);
    // `SetAuthority` (6) of the type `AccountOwner` (2), with a new key (1).
    const give = createInstruction(
      TOKEN_PROGRAM,
      [writableAccount(account), signerAccount(owner)],
      Uint8Array.of(6, 2, 1),
      to.publicKey.toBytes(),
    );
    acceptedTransaction(sendInstructions(chain, [from], [give]));
    expect([...chain.tokenAccounts({ owner })]).toEqual([]);
    const held = [...chain.tokenAccounts({ owner: to.publicKey.toBase58() })];
    expect(held.map(([address]) => address)).toEqual([account]);
  });

  it('no longer lists a closed account', () => {
    const address = STRANGER.publicKey.toBase58();
    chain.airdrop(address, 10_000_000n);
    acceptedTransaction(
      chain.send(
        transferTransactionBytes(HOLDER, { to: address, amount: 9n }, chain.latestBlockhash().blockhash),
      ),
    );
    const account = bdAccountOf(address);
    const empty = moveBdInstruction(address, account, bdAccountOf(HOLDER.publicKey.toBase58()), 9n);
    const close = createInstruction(
      TOKEN_PROGRAM,
      [writableAccount(account), writableAccount(address), signerAccount(address)],
      Uint8Array.of(9),
    );
    acceptedTransaction(sendInstructions(chain, [STRANGER], [empty, close]));
    expect(chain.account(account)).toBeNull();
    expect([...chain.tokenAccounts({ owner: address })]).toEqual([]);
  });
});
