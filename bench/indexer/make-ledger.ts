import { VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { LEDGER } from '../../indexer/ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../indexer/ledger/chain.ts';
import { openLedgerStore } from '../../indexer/ledger/ledger-store.ts';
import { openChain } from '../../indexer/ledger/open-chain.ts';
import { depositWire, withdrawWire } from '../../indexer/ledger/transactions.ts';
import { ledgerAddress, ledgerKeypair } from '../../indexer/ledger/wallets.ts';

const SLOTS_BEFORE = 1_000;
const PER_SLOT = 4;
/** Transactions that the ledger really runs; the rest are copies of them, each with a signature of its own. */
const GENUINE = 200;
const COPIES_A_COMMIT = 2_000;

/**
 * Makes a ledger file whose vault has a number of transactions. Running that many takes minutes, and a reader cannot tell:
 * the ledger serves what is stored, and copies differ in signature, slot and position.
 */
export function makeLedger(file: string, count: number): void {
  let now = Date.now() - (SLOTS_BEFORE + Math.ceil(count / PER_SLOT)) * SLOT_MILLISECONDS;
  const chain = openChain({ file, now: () => now, history: false });
  const genuine: LedgerTransaction[] = [];
  for (let index = 0; index < Math.min(GENUINE, count); index += 1) {
    if (index % PER_SLOT === 0) now += SLOT_MILLISECONDS;
    const { blockhash } = chain.latestBlockhash();
    const amount = BigInt(1_000 + index);
    const wire =
      index % 2 === 0
        ? depositWire(ledgerKeypair('holder-1'), { amount }, blockhash)
        : withdrawWire({ to: ledgerAddress('holder-1'), amount }, blockhash);
    const outcome = chain.send(wire, { skipPreflight: true });
    if (outcome.kind !== 'accepted') throw new Error(`The ledger refused transaction ${index}.`);
    genuine.push(outcome.transaction);
  }
  chain.close();

  const store = openLedgerStore(file);
  const keys = genuine.map(({ wire }) =>
    VersionedTransaction.deserialize(wire).message.staticAccountKeys.map((key) => key.toBase58()),
  );
  const firstSlot = (store.newest()?.slot ?? 0) + 1;
  for (let from = genuine.length; from < count; from += COPIES_A_COMMIT) {
    store.atomically(() => {
      for (let index = from; index < Math.min(count, from + COPIES_A_COMMIT); index += 1) {
        const base = genuine[index % genuine.length];
        if (base) store.commit(copyOf(base, index, firstSlot), null, keys[index % keys.length] ?? [], []);
      }
    });
  }
  store.close();
}

function copyOf(base: LedgerTransaction, index: number, firstSlot: number): LedgerTransaction {
  const wire = Uint8Array.from(base.wire);
  // The first signature follows the one byte that counts the signatures.
  new DataView(wire.buffer).setUint32(1, index);
  const signature = bs58.encode(wire.subarray(1, 65));
  const behind = index - GENUINE;
  const slot = firstSlot + Math.floor(behind / PER_SLOT);
  return { ...base, signature, wire, slot, position: behind % PER_SLOT };
}

/** Where the ledger's addresses are, for who follows it. */
export const FOLLOWED = {
  BD_MINT: LEDGER.mint,
  BD_VAULT: LEDGER.vault,
  BD_STAKE_POOL: LEDGER.stakePool,
} as const;
