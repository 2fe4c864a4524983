import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vaultLiveBalance } from '../../data/contract/metrics.ts';
import { openIndexReader } from '../../data/store/open-stores.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import { LEDGER_ADDRESS_ENV, spawnIndexer } from '../../indexer/testing/processes.ts';
import { median } from '../growth/flatness.ts';
import { startProgram } from '../indexer/bench-process.ts';
import { makeLedger } from '../indexer/make-ledger.ts';
import { startPortalApi } from './server-process.ts';
import type { Latencies, LoadRequest } from './steady-load.ts';

// Compares the portal's response times during the backfill of a ledger's history with those while the indexer is stopped.

const TRANSACTIONS = 50_000;
/** Maximum p99 during the backfill, as a multiple of the p99 at rest. */
const MAX_RATIO = 3;
const CALLS_PER_SECOND = 1_000;
const ROUND_SECONDS = 0.5;
const ROUNDS = 8;
/** A measurement that misses the limit is repeated at most this many times, because the load from other work varies. */
const MAX_RETRIES = 1;
const SETTLE_MS = 1_000;
const CHECK_MS = 20;
const WAIT_SECONDS = 60;

async function runLoad(client: ChildProcess, settings: LoadRequest): Promise<Latencies> {
  client.send(settings);
  const [latencies]: [Latencies] = await (once(client, 'message') as Promise<[Latencies]>);
  if (latencies.failed > 0) throw new Error(`${latencies.failed} of ${latencies.requests} requests failed.`);
  return latencies;
}

async function waitUntil(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + WAIT_SECONDS * 1_000; performance.now() < deadline; ) {
    if (await isTrue()) return;
    await sleep(CHECK_MS);
  }
  throw new Error(`${what} took longer than ${WAIT_SECONDS} s.`);
}

async function countIndexed(reader: IndexReader): Promise<number> {
  return (await reader.statistics()).events.vault;
}

function printRounds(name: string, rounds: readonly Latencies[]): void {
  const texts = rounds.map(({ p99Ms }) => p99Ms.toFixed(1)).join(', ');
  const middle = median(rounds.map((round) => round.medianMs)).toFixed(2);
  console.log(`  ${name.padEnd(24)} median ${middle} ms, p99 ${texts} ms`);
}

interface Comparison {
  readonly during: readonly Latencies[];
  readonly atRest: readonly Latencies[];
  readonly transactionsRead: number;
}

const middleP99 = (rounds: readonly Latencies[]): number => median(rounds.map(({ p99Ms }) => p99Ms));

const slowdown = ({ during, atRest }: Comparison): number => middleP99(during) / middleP99(atRest);

async function compare(rpcUrl: string, dataDir: string): Promise<Comparison> {
  const env = { DATA_DIR: dataDir, SOLANA_RPC_URLS: rpcUrl, INDEXER_POLL_MS: '400', ...LEDGER_ADDRESS_ENV };
  const portal = await startPortalApi(env);
  const client = fork(new URL('steady-load.ts', import.meta.url));
  const worker = spawnIndexer(env, [], { lowersPriority: true });
  const reader = await openIndexReader(join(dataDir, 'index.db'));
  try {
    const url = portal.origin + vaultLiveBalance.path;
    const settings = { url, perSecond: CALLS_PER_SECOND, seconds: ROUND_SECONDS };
    await waitUntil('the first figure', async () => (await fetch(url)).status === 200);
    await waitUntil('the first events', async () => (await countIndexed(reader)) > 0);
    const during: Latencies[] = [];
    // The first round warms up the client. Rounds count only while the backfill runs.
    await runLoad(client, settings);
    const indexedBefore = await countIndexed(reader);
    while (during.length < ROUNDS) {
      const latencies = await runLoad(client, settings);
      if ((await countIndexed(reader)) >= TRANSACTIONS) break;
      during.push(latencies);
    }
    const transactionsRead = (await countIndexed(reader)) - indexedBefore;
    await worker.end('SIGTERM');
    await sleep(SETTLE_MS);
    await portal.untilLibrariesLoaded();
    const atRest: Latencies[] = [];
    while (atRest.length < ROUNDS) atRest.push(await runLoad(client, settings));
    if (during.length === 0) throw new Error('The backfill ended too soon; make the ledger longer.');
    return { during, atRest, transactionsRead };
  } finally {
    await reader.close();
    await worker.end('SIGTERM');
    client.disconnect();
    await portal.end();
  }
}

export async function benchBackfill(folder: string): Promise<boolean> {
  const ledgerFile = join(folder, 'ledger.db');
  makeLedger(ledgerFile, TRANSACTIONS);
  const ledgerServer = await startProgram('ledger-server.ts', [ledgerFile], 'serving');
  const measure = async () => compare(ledgerServer.message.url, await mkdtemp(join(folder, 'backfill-')));
  try {
    let comparison = await measure();
    for (let retry = 0; retry < MAX_RETRIES && slowdown(comparison) > MAX_RATIO; retry += 1) {
      comparison = await measure();
    }
    const ratio = slowdown(comparison);
    const readText = comparison.transactionsRead.toLocaleString('en');
    console.log(
      `${CALLS_PER_SECOND} requests per second for ${vaultLiveBalance.path} while the indexer read ${readText} transactions, and at rest`,
    );
    printRounds('at rest', comparison.atRest);
    printRounds('during the backfill', comparison.during);
    console.log(
      `median p99 during the backfill: ${ratio.toFixed(2)} times that at rest; limit ${MAX_RATIO}: ${ratio <= MAX_RATIO ? 'met' : 'MISSED'}`,
    );
    return ratio <= MAX_RATIO;
  } finally {
    ledgerServer.child.disconnect();
    await once(ledgerServer.child, 'exit');
  }
}
