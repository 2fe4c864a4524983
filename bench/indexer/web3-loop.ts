import { Connection, PublicKey } from '@solana/web3.js';
import { LEDGER } from '../../indexer/ledger/addresses.ts';
import type { BenchMessage } from './bench-process.ts';

// Measures how fast web3.js reads a sample of transactions, ten at a time.
const [url = '', sampleSize = '0'] = process.argv.slice(2);
const CONCURRENT_CALLS = 10;

const connection = new Connection(url, 'confirmed');
const rows = await connection.getSignaturesForAddress(new PublicKey(LEDGER.vault), {
  limit: Number(sampleSize),
});
const startedAt = performance.now();
let transactions = 0;
for (let from = 0; from < rows.length; from += CONCURRENT_CALLS) {
  const fetchedTransactions = await Promise.all(
    rows
      .slice(from, from + CONCURRENT_CALLS)
      .map(({ signature }) => connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 })),
  );
  transactions += fetchedTransactions.filter((transaction) => transaction !== null).length;
}
const seconds = (performance.now() - startedAt) / 1_000;
process.send?.({ type: 'measured', transactions, seconds } satisfies BenchMessage);
