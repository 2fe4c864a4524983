import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { openIndexReader } from '../data/store/sqlite/index-reader.ts';
import { openIndexWriter } from '../data/store/sqlite/index-writer.ts';
import { indexDifferences, indexDigest } from '../data/store/testing/index-digest.ts';
import { LEDGER } from './ledger/addresses.ts';
import { SLOT_MILLISECONDS } from './ledger/chain.ts';
import { mountSmallDisk, type SmallDisk } from './testing/small-disk.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';
import { type MovementTold, movementsToldBy } from './testing/told-by-ledger.ts';
import {
  commandWithLimit,
  startWorker,
  type WorkerProcess,
  type WorkerTerms,
} from './testing/worker-process.ts';

const WATCHED = [LEDGER.vault, LEDGER.stakeVault];
const TIME_FACTOR = 5;
const BLOCK = 512;
/** Bytes of the index that SQLite keeps beside its log. */
const LOG_INDEX = 32_768;
/** Bytes of the history for which there is room beside the tables: about a quarter of it. */
const A_LITTLE = 65_536;
const LARGE_ENOUGH = 64 * 1024 * 1024;
const WAIT = { timeout: 40_000, interval: 50 };
const COMMITTER = fileURLToPath(new URL('./testing/commit-until-full.ts', import.meta.url));

let ledger: TestChain;
let told: readonly (readonly MovementTold[])[];
/** An index of the same chain that had room from the start. */
let whole: string;
const folders: string[] = [];
const workers: WorkerProcess[] = [];
/** Bytes that are too few for a file, and for all files: more than the tables take, less than the history of the ledger. */
let tooSmall: { readonly file: number; readonly disk: number };
const smallDisk = await mountSmallDisk(BLOCK);

beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  ledger.advance(100 * SLOT_MILLISECONDS);
  told = await Promise.all(WATCHED.map((account) => movementsToldBy(ledger.url, account)));
  const dataDir = await folder();
  whole = join(dataDir, 'index.db');
  const worker = start(dataDir);
  await vi.waitUntil(() => isWhole(whole), WAIT);
  // Reckoned from the tables, which take the same on every machine: a slow start writes rows beside the history.
  const empty = join(await folder(), 'index.db');
  const writer = await openIndexWriter(empty);
  const [tables, file] = [statSync(`${empty}-wal`).size, statSync(empty).size];
  await writer.close();
  tooSmall = {
    file: roundedTo(BLOCK, tables + A_LITTLE),
    disk: roundedTo(BLOCK, tables + file + LOG_INDEX + A_LITTLE),
  };
  await worker.end('SIGTERM');
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
});
afterAll(async () => {
  await ledger.close();
  await smallDisk?.close();
  await Promise.all(folders.map((made) => rm(made, { recursive: true })));
});

function roundedTo(unit: number, value: number): number {
  return Math.round(value / unit) * unit;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'bd-full-'));
  folders.push(made);
  return made;
}

function start(dataDir: string, terms: WorkerTerms = {}): WorkerProcess {
  const worker = startWorker(
    {
      SOLANA_RPC_URLS: ledger.url,
      DATA_DIR: dataDir,
      BD_MINT: LEDGER.mint,
      BD_VAULT: LEDGER.vault,
      BD_STAKE_POOL: LEDGER.stakePool,
    },
    [],
    { timeFactor: TIME_FACTOR, ...terms },
  );
  workers.push(worker);
  return worker;
}

async function eventsOf(file: string): Promise<readonly (readonly string[])[]> {
  const reader = openIndexReader(file);
  const { recentEvents } = await reader.latestSnapshot(1_000_000);
  await reader.close();
  const oldestFirst = recentEvents.toReversed();
  return WATCHED.map((account) =>
    oldestFirst.filter((event) => event.account === account).map(({ signature }) => signature),
  );
}

async function isWhole(file: string): Promise<boolean> {
  const events = await eventsOf(file);
  return events.every((signatures, index) => signatures.length === told[index]?.length);
}

/** What is stored is the beginning of each account's history, without a gap, in a sound file. */
async function expectABeginning(file: string): Promise<void> {
  const stored = await eventsOf(file);
  for (const [index, signatures] of stored.entries()) {
    const beginning = told[index]?.slice(0, signatures.length) ?? [];
    expect(signatures).toEqual(beginning.map(({ signature }) => signature));
  }
  expect(await isWhole(file)).toBe(false);
  expectSound(file);
}

function expectSound(file: string): void {
  const client = new Database(file, { readonly: true });
  try {
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
  } finally {
    client.close();
  }
}

async function expectTheSameAsWhole(file: string): Promise<void> {
  const isTheSame = () => indexDigest(file) === indexDigest(whole);
  // What differs says more than that something does.
  await vi.waitUntil(isTheSame, WAIT).catch(() => {});
  expect(indexDifferences(file, whole)).toEqual([]);
}

describe('an indexer that has no room for what it reads', () => {
  it('says what is wrong, stores nothing in part, and goes on once files may grow again', async () => {
    const dataDir = await folder();
    const file = join(dataDir, 'index.db');
    const worker = start(dataDir, { largestFile: tooSmall.file });
    await expect.poll(() => worker.said(), WAIT).toContain('its disk answers with errors. Check the disk');
    await expectABeginning(file);
    // Told to stop it stops, as on any other day.
    expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
    await expectABeginning(file);
    start(dataDir);
    await expectTheSameAsWhole(file);
  });

  it.skipIf(smallDisk === null)(
    'does so on a full file system too, by itself once there is room',
    async () => {
      const disk = smallDisk as SmallDisk;
      const file = join(disk.folder, 'index.db');
      await disk.grow(tooSmall.disk);
      const worker = start(disk.folder);
      await expect.poll(() => worker.said(), WAIT).toContain('the disk is full. Free some space');
      await expectABeginning(file);
      await disk.grow(LARGE_ENOUGH);
      await expectTheSameAsWhole(file);
      expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
    },
  );
});

interface Told {
  readonly committed?: number;
  readonly failed?: string;
}

/** Runs the committing program to its end. */
async function commitUntilFull(file: string, largestFile?: number): Promise<readonly Told[]> {
  const program = [process.execPath, COMMITTER, file, '40', '4000'];
  const [command = '', ...args] =
    largestFile === undefined ? program : commandWithLimit(program, largestFile);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const messages: Told[] = [];
  child.on('message', (message) => void messages.push(message as Told));
  await once(child, 'close');
  return messages;
}

describe('a commit that fails half-way', () => {
  it('leaves every commit before it, and nothing of itself', async () => {
    const file = join(await folder(), 'index.db');
    const messages = await commitUntilFull(file, tooSmall.file);
    const last = messages.findLast(({ committed }) => committed !== undefined)?.committed ?? 0;
    expect(messages.at(-1)?.failed).toMatch(/^StoreUnavailableError: .*index\.db .*SQLITE_(IOERR|FULL)/);
    expect(last).toBeGreaterThan(0);
    expectSound(file);
    const reader = openIndexReader(file);
    const { recentEvents } = await reader.latestSnapshot(10_000);
    const { movements, deposits } = await reader.vaultMovements(-1);
    await reader.close();
    expect(recentEvents.map(({ slot }) => slot)).toEqual(
      Array.from({ length: last }, (_, index) => last - index),
    );
    expect({ movements, deposits }).toEqual({ movements: last, deposits: BigInt(last) * 1_000n });

    // With room, it goes on to what it would have been.
    expect((await commitUntilFull(file)).at(-1)).toEqual({ committed: 4_000 });
    const undisturbed = join(await folder(), 'index.db');
    await commitUntilFull(undisturbed);
    expect(indexDifferences(file, undisturbed)).toEqual([]);
  });
});

describe('an index that another process keeps locked', () => {
  it('is told as such, and does not end an indexer that was at work', async () => {
    const dataDir = await folder();
    const file = join(dataDir, 'index.db');
    const worker = start(dataDir);
    await worker.ready;
    const locker = new Database(file);
    locker.exec('BEGIN IMMEDIATE');
    await expect.poll(() => worker.said(), WAIT).toContain('is locked by another process');
    locker.exec('ROLLBACK');
    locker.close();
    await expectTheSameAsWhole(file);
    expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
  });
});
