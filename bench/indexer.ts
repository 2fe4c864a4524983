import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LOOP_SIZES } from '../indexer/sync/chain-loop.ts';
import { startWorker, type WorkerProcess } from '../indexer/testing/processes.ts';
import { median } from './growth/flatness.ts';
import {
  commandOn,
  measureProgram,
  type ProcessorShares,
  peakMemory,
  processorShares,
  startProgram,
} from './indexer/bench-process.ts';
import { FOLLOWED, makeLedger } from './indexer/make-ledger.ts';
import { withTempFolder } from './temp-folder.ts';

// Compares how fast three programs read a ledger's history: the indexer, a program that only fetches the same data, and web3.js.

const TRANSACTIONS = 20_000;
const LONG_FACTOR = 10;
const WEB3_SAMPLE = 1_000;
const ROUNDS = 7;
/** The indexer's minimum rate, as a share of the rate of only fetching the data. */
const LIMIT = 0.85;
const MEMORY_LIMIT_MIB = 256;
/** Maximum growth of the peak memory when the history is ten times as long. */
const MEMORY_GROWTH = 0.05;
const CHECK_MS = 20;
const MAX_SECONDS = 120;

interface Reading {
  readonly perSecond: number;
  readonly peakMib: number | null;
}

/**
 * Lets the indexer read a ledger's whole history into an empty index. The rate is measured from the first full window on,
 * because the first page is the oldest one and may have a single transaction.
 */
export function readWith(
  url: string,
  transactions: number,
  shares: ProcessorShares | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  return withTempFolder(async (dataDir) => {
    const env = { SOLANA_RPC_URLS: url, DATA_DIR: dataDir, INDEXER_POLL_MS: '400', ...FOLLOWED, ...settings };
    const launcher = commandOn(shares?.measured, []);
    const worker = startWorker(env, [], { lowersPriority: true, launcher });
    try {
      await worker.ready;
      const perSecond = await commitRate(join(dataDir, 'index.db'), transactions, worker);
      return { perSecond, peakMib: await peakMemory(worker.child.pid ?? 0) };
    } finally {
      await worker.end('SIGTERM');
    }
  });
}

async function commitRate(file: string, transactions: number, { child }: WorkerProcess): Promise<number> {
  const client = new Database(file, { readonly: true });
  // Reads only one row, because a longer query would take processor time from the indexer.
  const counted = client
    .prepare<[string], number>('select "event_count" from "accounts" where "address" = ?')
    .pluck();
  const deadline = performance.now() + MAX_SECONDS * 1_000;
  let first: { readonly count: number; readonly at: number } | null = null;
  try {
    for (;;) {
      const count = counted.get(FOLLOWED.BD_VAULT) ?? 0;
      const at = performance.now();
      if (count >= LOOP_SIZES.windowSize) first ??= { count, at };
      if (first && count >= transactions) return ((count - first.count) * 1_000) / (at - first.at);
      if (at > deadline || child.exitCode !== null) {
        throw new Error(`The indexer stopped at ${count} of ${transactions} transactions.`);
      }
      await sleep(CHECK_MS);
    }
  } finally {
    client.close();
  }
}

function printRate(name: string, perSecond: number): void {
  console.log(`  ${name.padEnd(48)} ${Math.round(perSecond).toLocaleString('en').padStart(8)} tx/s`);
}

export async function withLedgerServer<T>(
  file: string,
  shares: ProcessorShares | null,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { child, message } = await startProgram('ledger-server.ts', [file], 'serving', shares?.endpoint);
  try {
    return await work(message.url);
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

export async function benchIndexer(): Promise<boolean> {
  const shares = processorShares();
  return withTempFolder(async (folder) => {
    const short = join(folder, 'short.db');
    const long = join(folder, 'long.db');
    makeLedger(short, TRANSACTIONS);
    makeLedger(long, TRANSACTIONS * LONG_FACTOR);
    const fetched: number[] = [];
    const indexed: Reading[] = [];
    let peer = 0;
    await withLedgerServer(short, shares, async (url) => {
      await measureProgram('fetch-only.ts', [url], shares?.measured);
      fetched.push(await measureProgram('fetch-only.ts', [url], shares?.measured));
      for (let round = 0; round < ROUNDS; round += 1) {
        indexed.push(await readWith(url, TRANSACTIONS, shares));
        fetched.push(await measureProgram('fetch-only.ts', [url], shares?.measured));
      }
      peer = await measureProgram('web3-loop.ts', [url, String(WEB3_SAMPLE)], shares?.measured);
    });
    const { peakMib: longPeak } = await withLedgerServer(long, shares, (url) =>
      readWith(url, TRANSACTIONS * LONG_FACTOR, shares),
    );

    console.log(`${TRANSACTIONS.toLocaleString('en')} transactions of the vault, median of ${ROUNDS} rounds`);
    console.log(
      shares
        ? `  (the endpoint on processor ${shares.endpoint}, the measured program on ${shares.measured})`
        : '  (endpoint and measured program share the processors: taskset or a second processor is missing)',
    );
    const rates = indexed.map(({ perSecond }) => perSecond);
    const rate = median(rates);
    printRate('fetching the same batches only', median(fetched));
    printRate('the indexer, into an empty index.db', rate);
    printRate(`web3.js getTransaction, 10 at a time (${WEB3_SAMPLE})`, peer);
    // Each round is compared with the fetching measured before and after it, because the speed of a machine varies.
    const ratios = rates.map((perSecond, round) => {
      const [before = 0, after = 0] = fetched.slice(round, round + 2);
      return perSecond / ((before + after) / 2);
    });
    const share = median(ratios);
    const isFast = share >= LIMIT;
    const ratioList = ratios.map((one) => one.toFixed(2)).join(', ');
    console.log(
      `share of the rate of only fetching: ${share.toFixed(2)} (${ratioList}); limit ${LIMIT}: ${isFast ? 'met' : 'MISSED'}`,
    );
    console.log(`times web3.js: ${(rate / peer).toFixed(1)}`);
    const isSmall = isMemoryMet(
      indexed.map(({ peakMib }) => peakMib),
      longPeak,
    );
    return isFast && isSmall;
  });
}

/** Prints the peak memory. @returns true if it met its limits or is unknown */
function isMemoryMet(shortPeaks: readonly (number | null)[], long: number | null): boolean {
  const known = shortPeaks.filter((peak) => peak !== null);
  if (known.length === 0 || long === null) {
    console.log('peak memory: not reported by this system');
    return true;
  }
  const short = Math.max(...known);
  const growth = long / short - 1;
  const isMet = Math.max(short, long) <= MEMORY_LIMIT_MIB && growth <= MEMORY_GROWTH;
  console.log(
    `peak memory: ${short.toFixed(0)} MiB, over ${LONG_FACTOR} times the history ${long.toFixed(0)} MiB ` +
      `(${(growth * 100).toFixed(1)} %); limits ${MEMORY_LIMIT_MIB} MiB and ${MEMORY_GROWTH * 100} %: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}
