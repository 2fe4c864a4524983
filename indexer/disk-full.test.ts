// @module-tag slow
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { openIndexReader, openIndexWriter } from '../data/store/open-stores.ts';
import { indexDifferences, indexDigest } from '../data/store/testing/index-digest.ts';
import { mountSmallDisk, type SmallDisk } from '../data/store/testing/small-disk.ts';
import { LEDGER } from './ledger/addresses.ts';
import { SLOT_MILLISECONDS } from './ledger/chain.ts';
import { type RecordedMovement, recordLedger } from './testing/ledger-record.ts';
import {
  type IndexerProcess,
  type IndexerProcessOptions,
  LEDGER_ADDRESS_ENV,
  spawnIndexer,
} from './testing/processes.ts';
import { startTestChain, type TestChain } from './testing/test-chain.ts';

const WATCHED_ACCOUNTS = [LEDGER.vault, LEDGER.stakeVault];
const TIME_FACTOR = 5;
const BLOCK_BYTES = 512;
/** The size of SQLite's `-shm` file. */
const SHARED_MEMORY_BYTES = 32_768;
/** Enough for about a quarter of the history. */
const HISTORY_PART_BYTES = 65_536;
const LARGE_ENOUGH_BYTES = 64 * 1024 * 1024;
const WAIT = { timeout: 90_000, interval: 200 };
vi.setConfig({ testTimeout: 300_000 });

let ledger: TestChain;
/** One list for each watched account. */
let movements: readonly (readonly RecordedMovement[])[];
/** The path of an index of the same chain, built with enough disk space. */
let completeIndexFile: string;
const folders: string[] = [];
const workers: IndexerProcess[] = [];
/**
 * Size limits in bytes, for one file and for all files. Both leave room for the tables and about a quarter of the history.
 */
let tooSmall: { readonly file: number; readonly disk: number };
const smallDisk = await mountSmallDisk(BLOCK_BYTES);

beforeAll(async () => {
  ledger = await startTestChain({ history: true });
  ledger.advance(100 * SLOT_MILLISECONDS);
  const recorded = recordLedger(ledger.chain).movements;
  movements = WATCHED_ACCOUNTS.map((address) => recorded.filter(({ account }) => account === address));
  const dataDir = await createFolder();
  completeIndexFile = join(dataDir, 'index.db');
  const worker = start(dataDir);
  await vi.waitUntil(() => isComplete(completeIndexFile), WAIT);
  // Measured on an empty index, because the worker's index has rows and may still grow.
  const empty = join(await createFolder(), 'index.db');
  const writer = await openIndexWriter(empty);
  const [tables, file] = [statSync(`${empty}-wal`).size, statSync(empty).size];
  await writer.close();
  tooSmall = {
    file: roundedTo(BLOCK_BYTES, tables + HISTORY_PART_BYTES),
    disk: roundedTo(BLOCK_BYTES, tables + file + SHARED_MEMORY_BYTES + HISTORY_PART_BYTES),
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

async function createFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'bd-full-'));
  folders.push(path);
  return path;
}

function start(dataDir: string, options: IndexerProcessOptions = {}): IndexerProcess {
  const settings = { SOLANA_RPC_URLS: ledger.url, DATA_DIR: dataDir, ...LEDGER_ADDRESS_ENV };
  const worker = spawnIndexer(settings, [], { timeFactor: TIME_FACTOR, ...options });
  workers.push(worker);
  return worker;
}

async function signaturesByAccount(file: string): Promise<readonly (readonly string[])[]> {
  const reader = await openIndexReader(file);
  const { recentEvents } = await reader.latestSnapshot(1_000_000);
  await reader.close();
  const oldestFirst = recentEvents.toReversed();
  return WATCHED_ACCOUNTS.map((account) =>
    oldestFirst.filter((event) => event.account === account).map(({ signature }) => signature),
  );
}

async function isComplete(file: string): Promise<boolean> {
  const events = await signaturesByAccount(file);
  return events.every((signatures, index) => signatures.length === movements[index]?.length);
}

/** Checks that a file is intact, and holds the start of each account's history without gaps, with the right movement count. */
async function expectPartialIndex(file: string): Promise<void> {
  const reader = await openIndexReader(file);
  // A running indexer may store more between the two reads. In that case, both reads are repeated.
  const stored = await vi.waitFor(async () => {
    const signatures = await signaturesByAccount(file);
    expect((await reader.vaultMovements(-1)).movements).toBe(signatures[0]?.length);
    return signatures;
  }, WAIT);
  await reader.close();
  for (const [index, signatures] of stored.entries()) {
    const beginning = movements[index]?.slice(0, signatures.length) ?? [];
    expect(signatures).toEqual(beginning.map(({ signature }) => signature));
  }
  expect(await isComplete(file)).toBe(false);
  const client = new Database(file, { readonly: true });
  try {
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
  } finally {
    client.close();
  }
}

async function expectSameAsCompleteIndex(file: string): Promise<void> {
  // The file may have no tables yet, so errors are retried. On a timeout, the comparison below shows the difference.
  await vi
    .waitFor(() => expect(indexDigest(file)).toBe(indexDigest(completeIndexFile)), WAIT)
    .catch(() => {});
  expect(indexDifferences(file, completeIndexFile)).toEqual([]);
}

describe('an indexer with a full disk', () => {
  it('logs the error, stores only whole commits, and continues with more space, even after another process locks the index', async () => {
    const dataDir = await createFolder();
    const file = join(dataDir, 'index.db');
    const worker = start(dataDir, { maxFileBytes: tooSmall.file });
    await expect.poll(() => worker.stderr(), WAIT).toContain('(SQLITE_IOERR');
    await expectPartialIndex(file);
    expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
    await expectPartialIndex(file);

    const signatureCount = async () => (await signaturesByAccount(file)).flat().length;
    const storedCount = await signatureCount();
    const restarted = start(dataDir);
    // The indexer may report that it is ready before it has opened the index.
    await vi.waitUntil(async () => (await signatureCount()) > storedCount, WAIT);
    const locker = new Database(file);
    locker.exec('BEGIN IMMEDIATE');
    await expect.poll(() => restarted.stderr(), WAIT).toContain('(SQLITE_BUSY');
    locker.exec('ROLLBACK');
    locker.close();
    await expectSameAsCompleteIndex(file);
    expect(await restarted.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
  });

  it.skipIf(smallDisk === null)('continues by itself once the file system has space', async () => {
    const disk = smallDisk as SmallDisk;
    const file = join(disk.folder, 'index.db');
    await disk.grow(tooSmall.disk);
    const worker = start(disk.folder);
    await expect.poll(() => worker.stderr(), WAIT).toContain('(SQLITE_FULL');
    await expectPartialIndex(file);
    await disk.grow(LARGE_ENOUGH_BYTES);
    await expectSameAsCompleteIndex(file);
    expect(await worker.end('SIGTERM')).toMatchObject({ code: EXIT.ok });
  });
});
