// @module-tag slow
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import type { IndexIdentity } from '../data/store/chain-rows.ts';
import { openIndexReader, openIndexWriter } from '../data/store/open-stores.ts';
import { IDENTITY, sampleBatch, sampleEvent, sampleSnapshot } from '../data/store/testing/sample-rows.ts';
import { type IndexFileOptions, type OpenedIndex, openIndexFile } from './index-file.ts';

const { mint, vault, stakePool } = IDENTITY;
const OTHER_GENESIS = { genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' };
const OTHER_MINT = { mint: 'another-mint' };

let dataDir: string;
let file: string;
let warnings: string[];
const openedIndexes: OpenedIndex[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bd-index-file-'));
  file = join(dataDir, 'index.db');
  warnings = [];
});
afterEach(async () => {
  for (const { writer } of openedIndexes.splice(0)) await writer.close();
  await rm(dataDir, { recursive: true });
});

async function open(options: Partial<IndexFileOptions> = {}): Promise<OpenedIndex> {
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const index = await openIndexFile(dataDir, {
    ...{ rebuildFor: null, addresses: { mint, vault, stakePool }, isEmbeddedLedger: false, log },
    ...options,
  });
  openedIndexes.push(index);
  return index;
}

async function createIndex(identity: Partial<IndexIdentity> = {}): Promise<void> {
  const writer = await openIndexWriter(file);
  await writer.claim({ ...IDENTITY, ...identity });
  await writer.close();
}

async function readSnapshot() {
  const reader = await openIndexReader(file);
  const snapshot = await reader.latestSnapshot(0);
  await reader.close();
  return snapshot;
}

/** Overwrites the first page of a table. */
function damage(table: string): void {
  const client = new Database(file, { readonly: true });
  const page = Number(client.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table));
  const size = Number(client.pragma('page_size', { simple: true }));
  client.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

describe('an index file', () => {
  it('is created unclaimed if there is none', async () => {
    expect(await open()).toMatchObject({ isClaimed: false, quote: null });
    expect((await readSnapshot()).identity).toBeNull();
  });

  it('can be opened by only one writer', async () => {
    await open();
    await expect(open()).rejects.toMatchObject({ exitCode: EXIT.tryAgain });
  });

  it('is created again after it was deleted, and the previous writer fails', async () => {
    const { writer } = await open();
    rmSync(file);
    await expect(writer.reportEndpoints([], 1)).rejects.toMatchObject({ exitCode: EXIT.tryAgain });
    await writer.close();
    await (await open()).writer.claim(IDENTITY);
    expect((await readSnapshot()).identity).toEqual(IDENTITY);
  });

  it.each([OTHER_MINT, { ...OTHER_MINT, ...OTHER_GENESIS }])(
    'for other accounts is rejected and left unchanged, even on the embedded ledger (%o)',
    async (identity) => {
      await createIndex(identity);
      const before = readFileSync(file);
      for (const isEmbeddedLedger of [false, true]) {
        await expect(open({ isEmbeddedLedger })).rejects.toMatchObject({ exitCode: EXIT.configuration });
      }
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  it('of another cluster is rejected when it is claimed, and the error says how to fix it', async () => {
    await createIndex(OTHER_GENESIS);
    const { writer } = await open();
    await expect(writer.claim(IDENTITY)).rejects.toMatchObject({
      exitCode: EXIT.configuration,
      message: expect.stringContaining('--rebuild'),
    });
  });

  it('for an earlier embedded ledger is discarded with a warning', async () => {
    await createIndex(OTHER_GENESIS);
    const { writer } = await open({ isEmbeddedLedger: true });
    await writer.claim(IDENTITY);
    expect(warnings).toHaveLength(1);
    expect((await readSnapshot()).identity).toEqual(IDENTITY);
    await writer.commitEvents(sampleBatch([sampleEvent(1)]));
  });

  it('keeps the market prices when it is rebuilt', async () => {
    await createIndex();
    const at = Date.now() - 3_600_000;
    const before = await open();
    const unknown = { priceChange24h: null, volume24h: null, liquidity: null };
    await before.writer.commitQuote({ priceUsd: '0.25', ...unknown, source: 'jupiter', readAt: at });
    await before.writer.commitEvents(sampleBatch([sampleEvent(1)]));
    await before.writer.close();
    openedIndexes.length = 0;
    expect((await open({ rebuildFor: IDENTITY })).quote).toMatchObject({ readAt: at });
    const reader = await openIndexReader(file);
    expect(await reader.history('price', 'day', 0)).toMatchObject([{ value: '0.25' }]);
    expect(await reader.latestSnapshot(1)).toMatchObject({ identity: IDENTITY, recentEvents: [] });
    await reader.close();
  });
});

describe('a damaged index', () => {
  it.each(['index_identity', 'market_quote', 'accounts', 'chain_snapshot'])(
    'fails at the first use, and can be rebuilt: %s',
    async (table) => {
      await createIndex();
      damage(table);
      const use = async () => {
        const { writer } = await open();
        await writer.claim(IDENTITY);
        await writer.cursor(IDENTITY.vault);
        await writer.commitSnapshot(sampleSnapshot(1));
      };
      await expect(use()).rejects.toMatchObject({ exitCode: EXIT.tryAgain });
      for (const { writer } of openedIndexes.splice(0)) await writer.close();
      expect((await open({ rebuildFor: IDENTITY })).isClaimed).toBe(true);
    },
  );
});
