import { Connection, type Keypair, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER, ledgerAddress, ledgerKeypair, stakeEntryAddress } from '../ledger/addresses.ts';
import {
  accepted,
  type ServedLedger,
  sendInstructions,
  startServedLedger,
} from '../ledger/testing/test-ledger.ts';
import {
  bdAccountOf,
  LOCK_SECONDS,
  moveBd,
  openTokenAccount,
  stakeInstruction,
  unstakeInstruction,
} from '../ledger/transactions.ts';
import { decodeEvents } from './chain-events.ts';

const POOL = { address: LEDGER.stakeVault, account: 'stake-pool', mint: LEDGER.mint } as const;
const VAULT = { address: LEDGER.vault, account: 'vault', mint: LEDGER.mint } as const;
const [ONE, TWO] = ['holder-1', 'holder-2'];
const SLOTS_OF_A_LOCK = Number(LOCK_SECONDS) * 3;

let ledger: ServedLedger;
let connection: Connection;
beforeAll(async () => {
  ledger = await startServedLedger();
  connection = new Connection(ledger.server.url, 'confirmed');
});
afterAll(() => ledger.close());

const staked = (name: string, nonce: number, amount: bigint): TransactionInstruction[] => [
  openTokenAccount(ledgerAddress(name), ledgerAddress(name), LEDGER.stakeMint),
  stakeInstruction(ledgerAddress(name), { nonce, amount, duration: LOCK_SECONDS }),
];
const given = (name: string, amount: bigint) =>
  moveBd(ledgerAddress(name), bdAccountOf(ledgerAddress(name)), LEDGER.stakeVault, amount);
const entryOf = (name: string, nonce: number) =>
  stakeEntryAddress(LEDGER.stakePool, ledgerAddress(name), nonce);

/** The events of a transaction on the pool's vault, from the ledger's JSON-RPC. */
async function reported(signers: readonly string[], ...instructions: readonly TransactionInstruction[]) {
  const keypairs: readonly Keypair[] = signers.map(ledgerKeypair);
  const { signature, err } = accepted(sendInstructions(ledger.chain, keypairs, instructions));
  expect(err).toBeNull();
  const response = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  if (response === null) throw new Error('the ledger does not return its transaction');
  expect(decodeEvents(response, VAULT)).toEqual([]);
  return decodeEvents(response, POOL).map(({ type, change, wallet, stakeEntry }) => [
    type,
    change,
    wallet,
    stakeEntry,
  ]);
}

describe('a real transaction on the pool, read through JSON-RPC', () => {
  it('is a stake and a gift', async () => {
    expect(await reported([ONE, TWO], given(TWO, 5n), ...staked(ONE, 900, 100n))).toEqual([
      ['stake', 100n, ledgerAddress(ONE), entryOf(ONE, 900)],
      ['other', 5n, ledgerAddress(TWO), null],
    ]);
  });

  it('is each of the stakes of two wallets, one of them twice', async () => {
    const all = [...staked(ONE, 901, 10n), ...staked(TWO, 901, 20n), ...staked(ONE, 902, 30n)];
    expect(await reported([ONE, TWO], ...all)).toEqual([
      ['stake', 10n, ledgerAddress(ONE), entryOf(ONE, 901)],
      ['stake', 20n, ledgerAddress(TWO), entryOf(TWO, 901)],
      ['stake', 30n, ledgerAddress(ONE), entryOf(ONE, 902)],
    ]);
  });

  it('is both an unstake and a larger or equal stake', async () => {
    await reported([ONE], ...staked(ONE, 910, 100n));
    await reported([ONE], ...staked(ONE, 911, 200n));
    ledger.advance(SLOTS_OF_A_LOCK);
    const ended = (nonce: number) => unstakeInstruction(ledgerAddress(ONE), { nonce });
    expect(await reported([ONE], ended(910), ...staked(ONE, 912, 150n))).toEqual([
      ['unstake', -100n, ledgerAddress(ONE), entryOf(ONE, 910)],
      ['stake', 150n, ledgerAddress(ONE), entryOf(ONE, 912)],
    ]);
    expect(await reported([ONE], ended(911), ...staked(ONE, 913, 200n))).toEqual([
      ['unstake', -200n, ledgerAddress(ONE), entryOf(ONE, 911)],
      ['stake', 200n, ledgerAddress(ONE), entryOf(ONE, 913)],
    ]);
  });
});
