import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vaultLiveBalance } from '../../data/contract/metrics.ts';
import { openIndexReader } from '../../data/store/open-stores.ts';
import type { IndexReader } from '../../data/store/ports.ts';
import { startWorker } from '../../indexer/testing/processes.ts';
import { median } from '../growth/flatness.ts';
import { startProgram } from '../indexer/bench-process.ts';
import { FOLLOWED, makeLedger } from '../indexer/make-ledger.ts';
import { startPortalApi } from './server-process.ts';
import type { Latencies, LoadRequest } from './steady-load.ts';

// Compares the response times while the indexer reads a ledger's history with the response times of the same portal at rest.

const TRANSACTIONS = 50_000;
/** Maximum p99 during the backfill, as a multiple of the idle p99. */
const LIMIT = 3;
const CALLS_PER_SECOND = 1_000;
const SECONDS = 0.5;
const ROUNDS = 8;
/** How often the measurement is repeated if it misses the limit, because other work on the machine varies. */
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

interface Compared {
  readonly during: readonly Latencies[];
  readonly atRest: readonly Latencies[];
  /** Transactions read during the measurement. */
  readonly read: number;
}

/** The median of the rounds' p99. */
const middleP99 = (rounds: readonly Latencies[]): number => median(rounds.map(({ p99Ms }) => p99Ms));

const slowdown = ({ during, atRest }: Compared): number => middleP99(during) / middleP99(atRest);

/** Measures a portal under load while its indexer reads the history, and again afterwards. */
async function compare(rpcUrl: string, dataDir: string): Promise<Compared> {
  const env = { DATA_DIR: dataDir, SOLANA_RPC_URLS: rpcUrl, INDEXER_POLL_MS: '400', ...FOLLOWED };
  const portal = await startPortalApi(env);
  const client = fork(new URL('steady-load.ts', import.meta.url));
  const worker = startWorker(env, [], { lowersPriority: true });
  const reader = await openIndexReader(join(dataDir, 'index.db'));
  try {
    const url = portal.origin + vaultLiveBalance.path;
    const settings = { url, perSecond: CALLS_PER_SECOND, seconds: SECONDS };
    await waitUntil('the first figure', async () => (await fetch(url)).status === 200);
    await waitUntil('the first events', async () => (await countIndexed(reader)) > 0);
    const during: Latencies[] = [];
    // The first round warms up the client. Rounds count only while the backfill runs.
    await runLoad(client, settings);
    const before = await countIndexed(reader);
    while (during.length < ROUNDS) {
      const latencies = await runLoad(client, settings);
      if ((await countIndexed(reader)) >= TRANSACTIONS) break;
      during.push(latencies);
    }
    const read = (await countIndexed(reader)) - before;
    await worker.end('SIGTERM');
    await sleep(SETTLE_MS);
    const atRest: Latencies[] = [];
    while (atRest.length < ROUNDS) atRest.push(await runLoad(client, settings));
    if (during.length === 0) throw new Error('The backfill ended too soon; make the ledger longer.');
    return { during, atRest, read };
  } finally {
    await reader.close();
    await worker.end('SIGTERM');
    client.disconnect();
    await portal.end();
  }
}

/** @returns whether the p99 during the backfill met its limit */
export async function benchBackfill(folder: string): Promise<boolean> {
  const ledger = join(folder, 'ledger.db');
  makeLedger(ledger, TRANSACTIONS);
  const serving = await startProgram('ledger-server.ts', [ledger], 'serving');
  const measure = async () => compare(serving.message.url, await mkdtemp(join(folder, 'backfill-')));
  try {
    let compared = await measure();
    for (let retry = 0; retry < MAX_RETRIES && slowdown(compared) > LIMIT; retry += 1) {
      compared = await measure();
    }
    const times = slowdown(compared);
    const read = compared.read.toLocaleString('en');
    console.log(
      `${CALLS_PER_SECOND} requests per second for ${vaultLiveBalance.path} while the indexer read ${read} transactions, and at rest`,
    );
    printRounds('at rest', compared.atRest);
    printRounds('during the backfill', compared.during);
    console.log(
      `median p99 during the backfill: ${times.toFixed(2)} times that at rest; limit ${LIMIT}: ${times <= LIMIT ? 'met' : 'MISSED'}`,
    );
    return times <= LIMIT;
  } finally {
    serving.child.disconnect();
    await once(serving.child, 'exit');
  }
}
