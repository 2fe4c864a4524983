import {
  AuthorityType,
  createApproveInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BD_DECIMALS, LEDGER } from '../ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../ledger/chain.ts';
import { TOKEN_PROGRAM } from '../ledger/programs.ts';
import { accepted, sendInstructions, signedWireV0 } from '../ledger/testing/test-ledger.ts';
import { bdAccountOf } from '../ledger/token-instructions.ts';
import { LOCK_SECONDS, stakeWire, unstakeWire } from '../ledger/transactions.ts';
import { ledgerAddress, ledgerKeypair } from '../ledger/wallets.ts';
import { resultOf } from '../rpc/endpoint-pool.ts';
import { getTransaction } from '../rpc/solana-calls.ts';
import { startTestChain, type TestChain } from '../testing/test-chain.ts';
import { classify, type Movement, type WatchedAccount } from './classify.ts';
import { decodeTransaction } from './decode.ts';

const ALICE = ledgerKeypair('holder-1');
const BOB = ledgerKeypair('holder-2');
const OWNER = ledgerKeypair('vault-owner');
const VAULT: WatchedAccount = { address: LEDGER.vault, role: 'vault' };
const POOL: WatchedAccount = { address: LEDGER.stakeVault, role: 'stake-pool-vault' };
const account = (name: string) => new PublicKey(bdAccountOf(ledgerAddress(name)));
const vault = new PublicKey(LEDGER.vault);
const mint = new PublicKey(LEDGER.mint);
const alice = ALICE.publicKey.toBase58();

const transfer = (amount: bigint) =>
  createTransferInstruction(account('holder-1'), vault, ALICE.publicKey, amount);

let ledger: TestChain;
beforeAll(async () => {
  ledger = await startTestChain();
});
afterAll(() => ledger.close());

/** What a transaction of the ledger did to a watched account, read through JSON-RPC. */
async function movement({ signature }: LedgerTransaction, watched = VAULT): Promise<Movement | null> {
  const replies = await ledger.pool.batch([getTransaction(signature)], new AbortController().signal);
  return classify(decodeTransaction(resultOf(replies[0]), LEDGER.mint), watched);
}

function send(signers: Parameters<typeof sendInstructions>[1], ...instructions: TransactionInstruction[]) {
  ledger.advance(SLOT_MILLISECONDS);
  return accepted(sendInstructions(ledger.chain, signers, instructions, { skipPreflight: true }));
}

describe('a real transaction, read through JSON-RPC', () => {
  it('transfer, which names neither mint nor owner', async () => {
    expect(await movement(send([ALICE], transfer(500n)))).toEqual({
      kind: 'deposit',
      wallet: alice,
      delta: 500n,
    });
  });

  it('transferChecked', async () => {
    const checked = createTransferCheckedInstruction(
      vault,
      mint,
      account('holder-2'),
      OWNER.publicKey,
      70n,
      BD_DECIMALS,
    );
    const wallet = BOB.publicKey.toBase58();
    expect(await movement(send([OWNER], checked))).toEqual({ kind: 'withdraw', wallet, delta: -70n });
  });

  it('a transfer signed by a delegate comes from the wallet whose tokens moved', async () => {
    send([ALICE], createApproveInstruction(account('holder-1'), BOB.publicKey, ALICE.publicKey, 9n));
    const delegated = createTransferInstruction(account('holder-1'), vault, BOB.publicKey, 9n);
    expect(await movement(send([BOB], delegated))).toEqual({ kind: 'deposit', wallet: alice, delta: 9n });
  });

  it('a failed one moved nothing', async () => {
    const failed = send([ALICE], transfer(5n), transfer(2n ** 60n));
    expect(failed.err).not.toBeNull();
    expect(await movement(failed)).toBeNull();
  });

  it('in and out in one transaction counts by what is left of it', async () => {
    const out = (amount: bigint) =>
      createTransferInstruction(vault, account('holder-1'), OWNER.publicKey, amount);
    const both = send([ALICE, OWNER], transfer(30n), out(10n));
    expect(await movement(both)).toEqual({ kind: 'deposit', wallet: alice, delta: 20n });
    expect(await movement(send([ALICE, OWNER], transfer(30n), out(30n)))).toBeNull();
  });

  it('tokens that pass through an account opened and closed within it come from where they came from', async () => {
    const passing = ledgerKeypair('passing-account');
    const transaction = send(
      [ALICE, passing],
      SystemProgram.createAccount({
        fromPubkey: ALICE.publicKey,
        newAccountPubkey: passing.publicKey,
        lamports: Number(ledger.chain.rentExemption(165)),
        space: 165,
        programId: new PublicKey(TOKEN_PROGRAM),
      }),
      createInitializeAccount3Instruction(passing.publicKey, mint, ALICE.publicKey),
      createTransferInstruction(account('holder-1'), passing.publicKey, ALICE.publicKey, 44n),
      createTransferInstruction(passing.publicKey, vault, ALICE.publicKey, 44n),
      createCloseAccountInstruction(passing.publicKey, ALICE.publicKey, ALICE.publicKey),
    );
    expect(transaction.err).toBeNull();
    expect(await movement(transaction)).toEqual({ kind: 'deposit', wallet: alice, delta: 44n });
  });

  it('version 0, with the vault loaded from a lookup table', async () => {
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: ALICE.publicKey,
      payer: ALICE.publicKey,
      recentSlot: ledger.chain.clock().slot,
    });
    const extend = AddressLookupTableProgram.extendLookupTable({
      authority: ALICE.publicKey,
      payer: ALICE.publicKey,
      lookupTable: table,
      addresses: [vault],
    });
    accepted(sendInstructions(ledger.chain, [ALICE], [create, extend]));
    ledger.advance(SLOT_MILLISECONDS);
    const state = {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [vault],
    };
    const known = new AddressLookupTableAccount({ key: table, state });
    const wire = signedWireV0(ledger.chain, ALICE, [transfer(77n)], [known]);
    const transaction = accepted(ledger.chain.send(wire, { skipPreflight: false }));
    expect(transaction.loadedAddresses.writable).toEqual([LEDGER.vault]);
    expect(await movement(transaction)).toEqual({ kind: 'deposit', wallet: alice, delta: 77n });
  });

  it('one that merely names the vault is no event', async () => {
    const lamports = SystemProgram.transfer({ fromPubkey: ALICE.publicKey, toPubkey: vault, lamports: 1 });
    expect(await movement(send([ALICE], lamports))).toBeNull();
  });

  it('stake and unstake move the pool by the wallet that stakes; tokens sent straight to it are no stake', async () => {
    const wire = (make: typeof stakeWire) =>
      make(ALICE, { amount: 600n, nonce: 1 }, ledger.chain.latestBlockhash().blockhash);
    const staked = accepted(ledger.chain.send(wire(stakeWire), { skipPreflight: false }));
    expect(await movement(staked, POOL)).toEqual({ kind: 'stake', wallet: alice, delta: 600n });
    expect(await movement(staked, VAULT)).toBeNull();
    const gift = createTransferInstruction(
      account('holder-1'),
      new PublicKey(LEDGER.stakeVault),
      ALICE.publicKey,
      3n,
    );
    expect(await movement(send([ALICE], gift), POOL)).toEqual({ kind: 'other', wallet: alice, delta: 3n });
    ledger.advance(Number(LOCK_SECONDS) * 1_000 + 1_000);
    const unstake = unstakeWire(ALICE, { nonce: 1 }, ledger.chain.latestBlockhash().blockhash);
    const ended = accepted(ledger.chain.send(unstake, { skipPreflight: false }));
    expect(await movement(ended, POOL)).toEqual({ kind: 'unstake', wallet: alice, delta: -600n });
  });

  it('handing the vault over is told, although nothing moves', async () => {
    const handOver = createSetAuthorityInstruction(
      vault,
      OWNER.publicKey,
      AuthorityType.AccountOwner,
      BOB.publicKey,
    );
    expect(await movement(send([OWNER], handOver))).toEqual({ kind: 'other', wallet: null, delta: 0n });
  });
});
