import { VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { ledgerAddress, ledgerKeypair } from '../../indexer/ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../indexer/ledger/chain.ts';
import { openLedgerStore } from '../../indexer/ledger/ledger-store.ts';
import { openChain } from '../../indexer/ledger/open-chain.ts';
import { depositTransactionBytes, withdrawalTransactionBytes } from '../../indexer/ledger/transactions.ts';

const SPARE_SLOTS = 1_000;
const TRANSACTIONS_PER_SLOT = 4;
/** How many transactions the ledger executes; the others are copies with different signatures. */
const EXECUTED_COUNT = 200;
const COPIES_PER_COMMIT = 2_000;

/**
 * Creates a ledger file with `count` vault transactions. Most are copies with a new signature, slot and position, because
 * executing so many transactions takes minutes.
 */
export function makeLedger(file: string, count: number): void {
  let now = Date.now() - (SPARE_SLOTS + Math.ceil(count / TRANSACTIONS_PER_SLOT)) * SLOT_MILLISECONDS;
  const chain = openChain({ file, now: () => now, withHistory: false });
  const executedTransactions: LedgerTransaction[] = [];
  for (let index = 0; index < Math.min(EXECUTED_COUNT, count); index += 1) {
    if (index % TRANSACTIONS_PER_SLOT === 0) now += SLOT_MILLISECONDS;
    const { blockhash } = chain.latestBlockhash();
    const amount = BigInt(1_000 + index);
    const wire =
      index % 2 === 0
        ? depositTransactionBytes(ledgerKeypair('holder-1'), { amount }, blockhash)
        : withdrawalTransactionBytes({ to: ledgerAddress('holder-1'), amount }, blockhash);
    const outcome = chain.send(wire, { skipPreflight: true });
    if (outcome.kind !== 'accepted') throw new Error(`The ledger rejected transaction ${index}.`);
    executedTransactions.push(outcome.transaction);
  }
  chain.close();

  const store = openLedgerStore(file);
  const keys = executedTransactions.map(({ wire }) =>
    VersionedTransaction.deserialize(wire).message.staticAccountKeys.map((key) => key.toBase58()),
  );
  const firstSlot = (store.newest()?.slot ?? 0) + 1;
  for (let from = executedTransactions.length; from < count; from += COPIES_PER_COMMIT) {
    store.atomically(() => {
      for (let index = from; index < Math.min(count, from + COPIES_PER_COMMIT); index += 1) {
        const base = executedTransactions[index % executedTransactions.length];
        if (base) store.commit(copyOf(base, index, firstSlot), null, keys[index % keys.length] ?? [], []);
      }
    });
  }
  store.close();
}

function copyOf(original: LedgerTransaction, index: number, firstSlot: number): LedgerTransaction {
  const wire = Uint8Array.from(original.wire);
  // Overwrites the start of the first signature, which comes after the one-byte signature count.
  new DataView(wire.buffer).setUint32(1, index);
  const signature = bs58.encode(wire.subarray(1, 65));
  const copyNumber = index - EXECUTED_COUNT;
  const slot = firstSlot + Math.floor(copyNumber / TRANSACTIONS_PER_SLOT);
  return { ...original, signature, wire, slot, position: copyNumber % TRANSACTIONS_PER_SLOT };
}
