import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LOOP_SIZES } from '../indexer/sync/chain-loop.ts';
import { type IndexerProcess, LEDGER_ADDRESS_ENV, spawnIndexer } from '../indexer/testing/processes.ts';
import { median } from './growth/flatness.ts';
import {
  assignProcessors,
  commandOn,
  measureProgram,
  type ProcessorAssignment,
  peakMemory,
  startProgram,
} from './indexer/bench-process.ts';
import { makeLedger } from './indexer/make-ledger.ts';
import { withTempFolder } from './temp-folder.ts';

// Compares how fast a ledger's history is read by the indexer, by a program that only fetches the same data, and by web3.js.

const TRANSACTIONS = 20_000;
const LONG_FACTOR = 10;
const WEB3_SAMPLE = 1_000;
const ROUNDS = 7;
/** The indexer's minimum rate, as a share of the rate of a program that only fetches the data. */
const MIN_RATE_SHARE = 0.85;
const MEMORY_LIMIT_MIB = 256;
/** Maximum growth of the peak memory, as a share, when the history is ten times as long. */
const MAX_MEMORY_GROWTH = 0.05;
const CHECK_MS = 20;
const MAX_SECONDS = 120;

interface IndexingResult {
  readonly perSecond: number;
  readonly peakMib: number | null;
}

/**
 * The rate excludes the time until the first full window of transactions is committed. The indexer begins with the oldest page,
 * which may have a single transaction.
 */
export function measureIndexer(
  url: string,
  transactions: number,
  processors: ProcessorAssignment | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<IndexingResult> {
  return withTempFolder(async (dataDir) => {
    const env = {
      SOLANA_RPC_URLS: url,
      DATA_DIR: dataDir,
      INDEXER_POLL_MS: '400',
      ...LEDGER_ADDRESS_ENV,
      ...settings,
    };
    const launcher = commandOn(processors?.measuredProgram, []);
    const worker = spawnIndexer(env, [], { lowersPriority: true, launcher });
    try {
      await worker.ready;
      const perSecond = await commitRate(join(dataDir, 'index.db'), transactions, worker);
      return { perSecond, peakMib: await peakMemory(worker.child.pid ?? 0) };
    } finally {
      await worker.end('SIGTERM');
    }
  });
}

async function commitRate(file: string, transactions: number, { child }: IndexerProcess): Promise<number> {
  const client = new Database(file, { readonly: true });
  // Reads only one row, because a longer query would take CPU time from the indexer.
  const countStatement = client
    .prepare<[string], number>('select "event_count" from "accounts" where "address" = ?')
    .pluck();
  const deadline = performance.now() + MAX_SECONDS * 1_000;
  let first: { readonly count: number; readonly at: number } | null = null;
  try {
    for (;;) {
      const count = countStatement.get(LEDGER_ADDRESS_ENV.BD_VAULT) ?? 0;
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
  processors: ProcessorAssignment | null,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { child, message } = await startProgram('ledger-server.ts', [file], 'serving', processors?.endpoint);
  try {
    return await work(message.url);
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

export async function benchIndexer(): Promise<boolean> {
  const processors = assignProcessors();
  return withTempFolder(async (folder) => {
    const short = join(folder, 'short.db');
    const long = join(folder, 'long.db');
    makeLedger(short, TRANSACTIONS);
    makeLedger(long, TRANSACTIONS * LONG_FACTOR);
    const fetchRates: number[] = [];
    const indexingResults: IndexingResult[] = [];
    let web3Rate = 0;
    await withLedgerServer(short, processors, async (url) => {
      await measureProgram('fetch-only.ts', [url], processors?.measuredProgram);
      fetchRates.push(await measureProgram('fetch-only.ts', [url], processors?.measuredProgram));
      for (let round = 0; round < ROUNDS; round += 1) {
        indexingResults.push(await measureIndexer(url, TRANSACTIONS, processors));
        fetchRates.push(await measureProgram('fetch-only.ts', [url], processors?.measuredProgram));
      }
      web3Rate = await measureProgram(
        'web3-loop.ts',
        [url, String(WEB3_SAMPLE)],
        processors?.measuredProgram,
      );
    });
    const { peakMib: longPeak } = await withLedgerServer(long, processors, (url) =>
      measureIndexer(url, TRANSACTIONS * LONG_FACTOR, processors),
    );

    console.log(`${TRANSACTIONS.toLocaleString('en')} transactions of the vault, median of ${ROUNDS} rounds`);
    console.log(
      processors
        ? `  (the endpoint on processor ${processors.endpoint}, the measured program on ${processors.measuredProgram})`
        : '  (endpoint and measured program share the processors: taskset or a second processor is missing)',
    );
    const rates = indexingResults.map(({ perSecond }) => perSecond);
    const rate = median(rates);
    printRate('only fetching the same batches', median(fetchRates));
    printRate('the indexer, into an empty index.db', rate);
    printRate(`web3.js getTransaction, 10 at a time (${WEB3_SAMPLE})`, web3Rate);
    // The speed of a machine varies, so each round is compared with the fetch rates just before and just after it.
    const ratios = rates.map((perSecond, round) => {
      const [before = 0, after = 0] = fetchRates.slice(round, round + 2);
      return perSecond / ((before + after) / 2);
    });
    const share = median(ratios);
    const isFast = share >= MIN_RATE_SHARE;
    const ratioList = ratios.map((one) => one.toFixed(2)).join(', ');
    console.log(
      `share of the fetch-only rate: ${share.toFixed(2)} (${ratioList}); limit ${MIN_RATE_SHARE}: ${isFast ? 'met' : 'MISSED'}`,
    );
    console.log(`multiple of the web3.js rate: ${(rate / web3Rate).toFixed(1)}`);
    const isSmall = meetsMemoryLimits(
      indexingResults.map(({ peakMib }) => peakMib),
      longPeak,
    );
    return isFast && isSmall;
  });
}

/** @returns true if the peak memory met its limits or is unknown */
function meetsMemoryLimits(shortPeaks: readonly (number | null)[], longPeak: number | null): boolean {
  const known = shortPeaks.filter((peak) => peak !== null);
  if (known.length === 0 || longPeak === null) {
    console.log('peak memory: not reported by this system');
    return true;
  }
  const short = Math.max(...known);
  const growth = longPeak / short - 1;
  const isMet = Math.max(short, longPeak) <= MEMORY_LIMIT_MIB && growth <= MAX_MEMORY_GROWTH;
  console.log(
    `peak memory: ${short.toFixed(0)} MiB, with ${LONG_FACTOR} times the history ${longPeak.toFixed(0)} MiB ` +
      `(${(growth * 100).toFixed(1)} %); limits ${MEMORY_LIMIT_MIB} MiB and ${MAX_MEMORY_GROWTH * 100} %: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}
