import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHILD_ENV } from '../data/runtime/testing/child-programs.ts';
import { startTestChain, type TestChain } from '../indexer/testing/test-chain.ts';
import {
  type FilledIndexFile,
  fillIndex,
  type OpenFilledIndex,
  openFilledIndex,
} from './growth/filled-index.ts';
import { type Flatness, type MeasuredOperation, measureFlatness, median } from './growth/flatness.ts';
import {
  createCallOperations,
  createIndexReadOperations,
  createRefreshOperation,
  type OpenedPortal,
  openPortal,
} from './growth/measured-operations.ts';

// Measures read times on histories of different lengths, and how fast the programs restart on the shortest and the longest.

const LARGEST_SIZE = 1_000_000;
const SIZES = [1_000, 100_000, LARGEST_SIZE] as const;
/** The limit for a read's time, as a multiple of its time on the shortest history. */
const MAX_RATIO = 1.2;
const MAX_RETRIES = 2;
const MAX_RESTART_SECONDS = 1;

const print = (line: string) => process.stdout.write(`${line}\n`);
const sizeText = (events: number) => events.toLocaleString('en');

async function callLedger<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
  });
  return ((await response.json()) as { readonly result: T }).result;
}

/** Fills an index. Its cursors point to the newest transactions on the ledger, so that the indexer finds nothing to read. */
async function createFilledIndex(
  { identity, url }: TestChain,
  folder: string,
  events: number,
): Promise<FilledIndexFile> {
  const lastSignatures = new Map<string, string>();
  for (const account of [identity.vault, identity.poolVault]) {
    const newest = await callLedger<{ signature: string }[]>(url, 'getSignaturesForAddress', account, {
      limit: 1,
    });
    lastSignatures.set(account, newest[0]?.signature ?? '');
  }
  const startedAt = performance.now();
  let reportedShare = 0;
  const file = await fillIndex({
    folder,
    events,
    identity,
    newestSlot: await callLedger<number>(url, 'getSlot'),
    lastSignatureOf: (account) => lastSignatures.get(account) ?? '',
    report: (share) => {
      if (events < LARGEST_SIZE || share - reportedShare < 0.2) return;
      reportedShare = share;
      print(`  ${sizeText(events * share)} events committed`);
    },
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  print(`filled with ${sizeText(events)} events in ${seconds.toFixed(1)} s`);
  return file;
}

const isFlat = ({ ratios }: Flatness): boolean => ratios.every((ratio) => ratio <= MAX_RATIO);

function printFlatness(flatness: Flatness): void {
  const { name, baseMicroseconds, ratios } = flatness;
  const columns = ratios.slice(1).map((ratio) => ratio.toFixed(2).padStart(6));
  const note = isFlat(flatness) ? '' : '  grows';
  print(`  ${name.padEnd(42)} ${baseMicroseconds.toFixed(0).padStart(7)} µs ${columns.join(' ')}${note}`);
}

/**
 * Measures again if the times seem to grow with the history, because other work on the machine may have slowed the run down.
 * @returns the flattest of the measurements
 */
async function flattestOf(measured: MeasuredOperation): Promise<Flatness> {
  let flattest = await measureFlatness(measured);
  for (let retry = 0; retry < MAX_RETRIES && !isFlat(flattest); retry += 1) {
    const next = await measureFlatness(measured);
    if (Math.max(...next.ratios) < Math.max(...flattest.ratios)) flattest = next;
  }
  return flattest;
}

async function measureAll(measured: readonly MeasuredOperation[]): Promise<boolean> {
  let areFlat = true;
  for (const one of measured) {
    const flatness = await flattestOf(one);
    printFlatness(flatness);
    areFlat = areFlat && isFlat(flatness);
  }
  return areFlat;
}

async function measureReads(files: readonly FilledIndexFile[], vault: string): Promise<boolean> {
  const indexes: OpenFilledIndex[] = [];
  const portals: OpenedPortal[] = [];
  const agent = new Agent({ keepAlive: true });
  try {
    for (const file of files) {
      const index = await openFilledIndex(file);
      indexes.push(index);
      await index.commitNext();
      portals.push(await openPortal(index));
    }
    const [base = '', ...others] = SIZES.map(sizeText);
    print(
      `\ntime at ${base} events, and how many times as long at ${others.join(' and ')} (flat: up to ${MAX_RATIO})`,
    );
    return await measureAll([
      ...createCallOperations(portals, agent),
      createRefreshOperation(portals, indexes),
      ...createIndexReadOperations(portals, indexes, vault),
    ]);
  } finally {
    agent.destroy();
    for (const opened of [...portals, ...indexes]) await opened.close();
  }
}

const API_FILE = fileURLToPath(new URL('../api/main.ts', import.meta.url));
const INDEXER_FILE = fileURLToPath(new URL('../indexer/main.ts', import.meta.url));
const START_COUNT = 5;

type Program = 'api' | 'indexer';

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function measureSecondsToReady(
  program: Program,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const startedAt = performance.now();
  const child = fork(program === 'api' ? API_FILE : INDEXER_FILE, program === 'api' ? ['--api-only'] : [], {
    cwd: env.DATA_DIR,
    env: { ...CHILD_ENV, LOG_LEVEL: 'warn', ...env },
  });
  try {
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`The ${program} exited with ${code} before it was ready.`);
      }),
    ]);
    return (performance.now() - startedAt) / 1_000;
  } finally {
    child.kill('SIGTERM');
    await waitForExit(child);
  }
}

/** @returns the seconds until the program was ready, for each start */
async function measureRestartSeconds(
  program: Program,
  env: Readonly<Record<string, string>>,
): Promise<number[]> {
  const seconds: number[] = [];
  // The first start reads the program from the disk, so it is not counted.
  await measureSecondsToReady(program, env);
  while (seconds.length < START_COUNT) seconds.push(await measureSecondsToReady(program, env));
  return seconds;
}

async function measureRestarts(
  { identity, url }: TestChain,
  files: readonly FilledIndexFile[],
  newFolder: (name: string) => Promise<string>,
): Promise<boolean> {
  print(`\nfrom start to ready (limit ${MAX_RESTART_SECONDS} s)`);
  let areMet = true;
  for (const { file, events } of files) {
    const dataDir = await newFolder('restart');
    await copyFile(file, join(dataDir, 'index.db'));
    const env = {
      DATA_DIR: dataDir,
      PORT: '0',
      SOLANA_RPC_URLS: url,
      BD_MINT: identity.mint,
      BD_VAULT: identity.vault,
      BD_STAKE_POOL: identity.stakePool,
    };
    for (const program of ['indexer', 'api'] satisfies Program[]) {
      const seconds = await measureRestartSeconds(program, env);
      const middle = median(seconds);
      areMet = areMet && middle <= MAX_RESTART_SECONDS;
      const secondsList = seconds.map((one) => one.toFixed(2)).join(', ');
      const share = (middle / MAX_RESTART_SECONDS).toFixed(2);
      print(
        `  ${program.padEnd(8)} ${sizeText(events).padStart(9)} events: ${secondsList} s; median ${share} of the limit`,
      );
    }
  }
  return areMet;
}

export async function benchGrowth(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-growth-'));
  const chain = await startTestChain({ history: true });
  const newFolder = (name: string) => mkdtemp(join(folder, `${name}-`));
  try {
    const files: FilledIndexFile[] = [];
    for (const events of SIZES)
      files.push(await createFilledIndex(chain, await newFolder(String(events)), events));
    // The restarts are measured first, because measuring the reads adds events to the index that do not exist on the ledger.
    const shortestAndLongest = [files[0], files.at(-1)].filter((file) => file !== undefined);
    const areQuick = await measureRestarts(chain, shortestAndLongest, newFolder);
    const areFlat = await measureReads(files, chain.identity.vault);
    print(areFlat && areQuick ? '\nmet' : '\nMISSED');
    return areFlat && areQuick;
  } finally {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  }
}
