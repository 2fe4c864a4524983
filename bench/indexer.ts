import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LOOP_SIZES } from '../indexer/sync/follow-histories.ts';
import { startWorker, type WorkerProcess } from '../indexer/testing/worker-process.ts';
import { measureProgram, peakMemory, startProgram } from './indexer/bench-process.ts';
import { FOLLOWED, makeLedger } from './indexer/make-ledger.ts';
import { commandOn, type ProcessorShares, processorShares } from './indexer/processor-shares.ts';

/** The real indexer reads a ledger's past, against fetching the same and throwing it away, and against web3.js. */

const TRANSACTIONS = 20_000;
const TIMES_AS_LONG = 10;
const WEB3_SAMPLE = 1_000;
const ROUNDS = 7;
/** The indexer reaches at least this share of fetching alone. */
const LIMIT = 0.85;
const MEMORY_LIMIT_MIB = 256;
/** What the peak of memory may grow by over a history ten times as long. */
const MEMORY_GROWTH = 0.05;
const LOOK_MS = 20;
const MOST_SECONDS = 120;

interface Reading {
  readonly perSecond: number;
  readonly peakMib: number | null;
}

/**
 * Lets the indexer read a ledger's whole past into an empty index. The rate is that from its first whole window, with the
 * next requests on their way, to its last commit: the oldest page, which it begins with, may hold a single transaction.
 */
async function readWith(url: string, transactions: number, shares: ProcessorShares | null): Promise<Reading> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  const env = { SOLANA_RPC_URLS: url, DATA_DIR: dataDir, INDEXER_POLL_MS: '400', ...FOLLOWED };
  const worker = startWorker(env, [], {
    standsBack: true,
    launcher: commandOn(shares?.measured, []),
  });
  try {
    await worker.ready;
    const perSecond = await commitRate(join(dataDir, 'index.db'), transactions, worker);
    const peakMib = await peakMemory(worker.child.pid ?? 0);
    return { perSecond, peakMib };
  } finally {
    await worker.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function commitRate(file: string, transactions: number, { child }: WorkerProcess): Promise<number> {
  const client = new Database(file, { readonly: true });
  // A light look: it takes time from what is measured.
  const counted = client
    .prepare<[string], number>('select "event_count" from "accounts" where "address" = ?')
    .pluck();
  const deadline = performance.now() + MOST_SECONDS * 1_000;
  let first: { readonly count: number; readonly at: number } | null = null;
  try {
    for (;;) {
      const count = counted.get(FOLLOWED.BD_VAULT) ?? 0;
      const at = performance.now();
      if (count >= LOOP_SIZES.windowSize) first ??= { count, at };
      if (first && count >= transactions) return ((count - first.count) * 1_000) / (at - first.at);
      if (at > deadline || child.exitCode !== null) {
        throw new Error(`The indexer had ${count} of ${transactions} transactions and got no further.`);
      }
      await sleep(LOOK_MS);
    }
  } finally {
    client.close();
  }
}

function best(values: readonly number[]): number {
  return Math.max(...values);
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function printRate(name: string, perSecond: number): void {
  console.log(`  ${name.padEnd(48)} ${Math.round(perSecond).toLocaleString('en').padStart(8)} tx/s`);
}

async function serving<T>(
  file: string,
  shares: ProcessorShares | null,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { child, told } = await startProgram('ledger-server.ts', [file], 'serving', shares?.endpoint);
  try {
    return await work(told.url);
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

/** Runs the benchmark. True where speed and memory held their limits. */
export async function benchIndexer(): Promise<boolean> {
  const shares = processorShares();
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    const short = join(folder, 'short.db');
    const long = join(folder, 'long.db');
    makeLedger(short, TRANSACTIONS);
    makeLedger(long, TRANSACTIONS * TIMES_AS_LONG);
    const fetched: number[] = [];
    const indexed: Reading[] = [];
    let peer = 0;
    await serving(short, shares, async (url) => {
      await measureProgram('fetch-only.ts', [url], shares?.measured);
      fetched.push(await measureProgram('fetch-only.ts', [url], shares?.measured));
      for (let round = 0; round < ROUNDS; round += 1) {
        indexed.push(await readWith(url, TRANSACTIONS, shares));
        fetched.push(await measureProgram('fetch-only.ts', [url], shares?.measured));
      }
      peer = await measureProgram('web3-loop.ts', [url, String(WEB3_SAMPLE)], shares?.measured);
    });
    const { peakMib: longPeak } = await serving(long, shares, (url) =>
      readWith(url, TRANSACTIONS * TIMES_AS_LONG, shares),
    );

    console.log(
      `${TRANSACTIONS.toLocaleString('en')} transactions of the vault, the middle of ${ROUNDS} rounds`,
    );
    console.log(
      shares
        ? `  (the endpoint on processor ${shares.endpoint}, what is measured on ${shares.measured})`
        : '  (the endpoint takes processors from what is measured: taskset and two processors are needed to part them)',
    );
    const rates = indexed.map(({ perSecond }) => perSecond);
    const rate = middle(rates);
    printRate('the same batches fetched and thrown away', middle(fetched));
    printRate('the indexer, into an empty index.db', rate);
    printRate(`web3.js getParsedTransaction, 10 at a time (${WEB3_SAMPLE})`, peer);
    // Each round beside the fetching right before and after it: a machine is not as fast all the time.
    const beside = rates.map((perSecond, round) => {
      const [before = 0, after = 0] = fetched.slice(round, round + 2);
      return perSecond / ((before + after) / 2);
    });
    const share = middle(beside);
    const isFast = share >= LIMIT;
    const each = beside.map((one) => one.toFixed(2)).join(', ');
    console.log(
      `of fetching alone: ${share.toFixed(2)} (${each}); limit ${LIMIT}: ${isFast ? 'held' : 'MISSED'}`,
    );
    console.log(`of web3.js: ${(rate / peer).toFixed(1)} times`);
    const isSmall = isLean(
      indexed.map(({ peakMib }) => peakMib),
      longPeak,
    );
    return isFast && isSmall;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Judges and prints the peaks of memory. Where the system tells none, there is nothing to judge. */
function isLean(shortPeaks: readonly (number | null)[], long: number | null): boolean {
  const known = shortPeaks.filter((peak) => peak !== null);
  if (known.length === 0 || long === null) {
    console.log('peak memory: this system does not tell it');
    return true;
  }
  const short = best(known);
  const growth = long / short - 1;
  const held = Math.max(short, long) <= MEMORY_LIMIT_MIB && growth <= MEMORY_GROWTH;
  console.log(
    `peak memory: ${short.toFixed(0)} MiB, over ${TIMES_AS_LONG} times the history ${long.toFixed(0)} MiB ` +
      `(${(growth * 100).toFixed(1)} %); limits ${MEMORY_LIMIT_MIB} MiB and ${MEMORY_GROWTH * 100} %: ${held ? 'held' : 'MISSED'}`,
  );
  return held;
}
