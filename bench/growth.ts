import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestChain, type TestChain } from '../indexer/testing/test-chain.ts';
import { type FilledIndex, type Filling, fillIndex, openFilled } from './growth/filled-index.ts';
import { type Flatness, type Measured, measureFlatness, median } from './growth/flatness.ts';
import {
  measuredCalls,
  measuredPorts,
  measuredRebuild,
  type OpenedPortal,
  openPortal,
} from './growth/measured-reads.ts';
import { type Program, restarts } from './growth/restart.ts';

/** What reading costs as the history grows, and how soon a program is up again over the longest one. */

const LARGEST = 1_000_000;
const SIZES = [1_000, 100_000, LARGEST] as const;
/** A read may take so many times as long as over the shortest history. */
const FLAT = 1.2;
const TRIES_AGAIN = 2;
const RESTART_SECONDS = 1;

const print = (line: string) => process.stdout.write(`${line}\n`);
const sizeText = (events: number) => events.toLocaleString('en');

async function askLedger<T>(url: string, method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
  });
  return ((await response.json()) as { readonly result: T }).result;
}

/** Fills an index whose cursors stand where the ledger's histories end, so that the real indexer finds it up to date. */
async function filled({ identity, url }: TestChain, folder: string, events: number): Promise<Filling> {
  const ends = new Map<string, string>();
  for (const account of [identity.vault, identity.poolVault]) {
    const newest = await askLedger<{ signature: string }[]>(url, 'getSignaturesForAddress', account, {
      limit: 1,
    });
    ends.set(account, newest[0]?.signature ?? '');
  }
  const begun = performance.now();
  let told = 0;
  const filling = await fillIndex({
    folder,
    events,
    identity,
    newestSlot: await askLedger<number>(url, 'getSlot'),
    lastOf: (account) => ends.get(account) ?? '',
    report: (share) => {
      if (events < LARGEST || share - told < 0.2) return;
      told = share;
      print(`  ${sizeText(events * share)} events committed`);
    },
  });
  const seconds = (performance.now() - begun) / 1_000;
  print(`filled with ${sizeText(events)} events in ${seconds.toFixed(1)} s`);
  return filling;
}

const isFlat = ({ ratios }: Flatness): boolean => ratios.every((ratio) => ratio <= FLAT);

function printFlatness(flatness: Flatness): void {
  const { name, base, ratios } = flatness;
  const columns = ratios.slice(1).map((ratio) => ratio.toFixed(2).padStart(6));
  const word = isFlat(flatness) ? '' : '  grows';
  print(`  ${name.padEnd(42)} ${base.toFixed(0).padStart(7)} µs ${columns.join(' ')}${word}`);
}

/** What looks as if it grew is measured again: other work on the machine can only make it look so. */
async function flattestOf(measured: Measured): Promise<Flatness> {
  let flattest = await measureFlatness(measured);
  for (let again = 0; again < TRIES_AGAIN && !isFlat(flattest); again += 1) {
    const next = await measureFlatness(measured);
    if (Math.max(...next.ratios) < Math.max(...flattest.ratios)) flattest = next;
  }
  return flattest;
}

async function measureAll(measured: readonly Measured[]): Promise<boolean> {
  let areFlat = true;
  for (const one of measured) {
    const flatness = await flattestOf(one);
    printFlatness(flatness);
    areFlat = areFlat && isFlat(flatness);
  }
  return areFlat;
}

async function measureReads(fillings: readonly Filling[], vault: string): Promise<boolean> {
  const indexes: FilledIndex[] = [];
  const portals: OpenedPortal[] = [];
  const agent = new Agent({ keepAlive: true });
  try {
    for (const filling of fillings) {
      const index = await openFilled(filling);
      indexes.push(index);
      await index.commitMore();
      portals.push(await openPortal(index));
    }
    const [base = '', ...others] = SIZES.map(sizeText);
    print(
      `\ntime at ${base} events, and how many times as long at ${others.join(' and ')} (flat: up to ${FLAT})`,
    );
    return await measureAll([
      ...measuredCalls(portals, agent),
      measuredRebuild(portals, indexes),
      ...measuredPorts(portals, indexes, vault),
    ]);
  } finally {
    agent.destroy();
    for (const opened of [...portals, ...indexes]) await opened.close();
  }
}

/** Over the shortest history as well, which tells what a start takes by itself. */
async function measureRestarts(
  { identity, url }: TestChain,
  fillings: readonly Filling[],
  newFolder: (name: string) => Promise<string>,
): Promise<boolean> {
  print(`\nfrom start to ready (limit ${RESTART_SECONDS} s)`);
  let isHeld = true;
  for (const { file, events } of fillings) {
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
      const seconds = await restarts(program, env);
      const middle = median(seconds);
      isHeld = isHeld && middle <= RESTART_SECONDS;
      const each = seconds.map((one) => one.toFixed(2)).join(', ');
      const share = (middle / RESTART_SECONDS).toFixed(2);
      print(
        `  ${program.padEnd(8)} ${sizeText(events).padStart(9)} events: ${each} s; median ${share} of the limit`,
      );
    }
  }
  return isHeld;
}

/** Runs the benchmark. True where every read is flat and both programs are ready in time. */
export async function benchGrowth(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-growth-'));
  const chain = await startTestChain({ history: true });
  const newFolder = (name: string) => mkdtemp(join(folder, `${name}-`));
  try {
    const fillings: Filling[] = [];
    for (const events of SIZES) fillings.push(await filled(chain, await newFolder(String(events)), events));
    // First, while the indexes end where the ledger does.
    const ends = [fillings[0], fillings.at(-1)].filter((filling) => filling !== undefined);
    const areQuick = await measureRestarts(chain, ends, newFolder);
    const areFlat = await measureReads(fillings, chain.identity.vault);
    print(areFlat && areQuick ? '\nheld' : '\nnot held');
    return areFlat && areQuick;
  } finally {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  }
}
