import { VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { LEDGER, ledgerAddress, ledgerKeypair } from '../../indexer/ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../indexer/ledger/chain.ts';
import { openLedgerStore } from '../../indexer/ledger/ledger-store.ts';
import { openChain } from '../../indexer/ledger/open-chain.ts';
import { depositTransactionBytes, withdrawalTransactionBytes } from '../../indexer/ledger/transactions.ts';

const SLOTS_BEFORE = 1_000;
const PER_SLOT = 4;
/** Transactions that the ledger executes; the others are copies with different signatures. */
const EXECUTED = 200;
const COPIES_PER_COMMIT = 2_000;

/**
 * Creates a ledger file with `count` vault transactions. Most are copies with their own signature, slot and position, because
 * executing so many transactions takes minutes.
 */
export function makeLedger(file: string, count: number): void {
  let now = Date.now() - (SLOTS_BEFORE + Math.ceil(count / PER_SLOT)) * SLOT_MILLISECONDS;
  const chain = openChain({ file, now: () => now, history: false });
  const genuine: LedgerTransaction[] = [];
  for (let index = 0; index < Math.min(EXECUTED, count); index += 1) {
    if (index % PER_SLOT === 0) now += SLOT_MILLISECONDS;
    const { blockhash } = chain.latestBlockhash();
    const amount = BigInt(1_000 + index);
    const wire =
      index % 2 === 0
        ? depositTransactionBytes(ledgerKeypair('holder-1'), { amount }, blockhash)
        : withdrawalTransactionBytes({ to: ledgerAddress('holder-1'), amount }, blockhash);
    const outcome = chain.send(wire, { skipPreflight: true });
    if (outcome.kind !== 'accepted') throw new Error(`The ledger rejected transaction ${index}.`);
    genuine.push(outcome.transaction);
  }
  chain.close();

  const store = openLedgerStore(file);
  const keys = genuine.map(({ wire }) =>
    VersionedTransaction.deserialize(wire).message.staticAccountKeys.map((key) => key.toBase58()),
  );
  const firstSlot = (store.newest()?.slot ?? 0) + 1;
  for (let from = genuine.length; from < count; from += COPIES_PER_COMMIT) {
    store.atomically(() => {
      for (let index = from; index < Math.min(count, from + COPIES_PER_COMMIT); index += 1) {
        const base = genuine[index % genuine.length];
        if (base) store.commit(copyOf(base, index, firstSlot), null, keys[index % keys.length] ?? [], []);
      }
    });
  }
  store.close();
}

function copyOf(base: LedgerTransaction, index: number, firstSlot: number): LedgerTransaction {
  const wire = Uint8Array.from(base.wire);
  // Changes the first signature, which follows the signature count of one byte.
  new DataView(wire.buffer).setUint32(1, index);
  const signature = bs58.encode(wire.subarray(1, 65));
  const behind = index - EXECUTED;
  const slot = firstSlot + Math.floor(behind / PER_SLOT);
  return { ...base, signature, wire, slot, position: behind % PER_SLOT };
}

/** The environment of an indexer that follows the ledger. */
export const FOLLOWED = {
  BD_MINT: LEDGER.mint,
  BD_VAULT: LEDGER.vault,
  BD_STAKE_POOL: LEDGER.stakePool,
} as const;
