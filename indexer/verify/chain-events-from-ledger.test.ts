import { Connection, type Keypair, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER, ledgerAddress, ledgerKeypair, stakeEntryAddress } from '../ledger/addresses.ts';
import {
  acceptedTransaction,
  type ServedLedger,
  sendInstructions,
  startServedLedger,
} from '../ledger/testing/test-ledger.ts';
import {
  bdAccountOf,
  LOCK_SECONDS,
  moveBdInstruction,
  openTokenAccountInstruction,
  stakeInstruction,
  unstakeInstruction,
} from '../ledger/transactions.ts';
import { decodeEvents } from './chain-events.ts';

const POOL = { address: LEDGER.stakeVault, account: 'stake-pool', mint: LEDGER.mint } as const;
const VAULT = { address: LEDGER.vault, account: 'vault', mint: LEDGER.mint } as const;
const [HOLDER_ONE, HOLDER_TWO] = ['holder-1', 'holder-2'];
const SLOTS_OF_A_LOCK = Number(LOCK_SECONDS) * 3;

let ledger: ServedLedger;
let connection: Connection;
beforeAll(async () => {
  ledger = await startServedLedger();
  connection = new Connection(ledger.server.url, 'confirmed');
});
afterAll(() => ledger.close());

const stakeInstructions = (name: string, nonce: number, amount: bigint): TransactionInstruction[] => [
  openTokenAccountInstruction(ledgerAddress(name), ledgerAddress(name), LEDGER.stakeMint),
  stakeInstruction(ledgerAddress(name), { nonce, amount, duration: LOCK_SECONDS }),
];
const giftInstruction = (name: string, amount: bigint) =>
  moveBdInstruction(ledgerAddress(name), bdAccountOf(ledgerAddress(name)), LEDGER.stakeVault, amount);
const entryOf = (name: string, nonce: number) =>
  stakeEntryAddress(LEDGER.stakePool, ledgerAddress(name), nonce);

async function reportedEvents(
  signers: readonly string[],
  ...instructions: readonly TransactionInstruction[]
) {
  const keypairs: readonly Keypair[] = signers.map(ledgerKeypair);
  const { signature, err } = acceptedTransaction(sendInstructions(ledger.chain, keypairs, instructions));
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
  it('is decoded as a stake and a gift', async () => {
    expect(
      await reportedEvents(
        [HOLDER_ONE, HOLDER_TWO],
        giftInstruction(HOLDER_TWO, 5n),
        ...stakeInstructions(HOLDER_ONE, 900, 100n),
      ),
    ).toEqual([
      ['stake', 100n, ledgerAddress(HOLDER_ONE), entryOf(HOLDER_ONE, 900)],
      ['other', 5n, ledgerAddress(HOLDER_TWO), null],
    ]);
  });

  it('is decoded as an unstake and a larger stake', async () => {
    await reportedEvents([HOLDER_ONE], ...stakeInstructions(HOLDER_ONE, 910, 100n));
    ledger.advance(SLOTS_OF_A_LOCK);
    const unstake = unstakeInstruction(ledgerAddress(HOLDER_ONE), { nonce: 910 });
    expect(await reportedEvents([HOLDER_ONE], unstake, ...stakeInstructions(HOLDER_ONE, 912, 150n))).toEqual([
      ['unstake', -100n, ledgerAddress(HOLDER_ONE), entryOf(HOLDER_ONE, 910)],
      ['stake', 150n, ledgerAddress(HOLDER_ONE), entryOf(HOLDER_ONE, 912)],
    ]);
  });
});
