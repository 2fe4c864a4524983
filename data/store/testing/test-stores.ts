import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { AppStore, IndexReader, IndexWriter } from '../ports.ts';
import { openAppStore } from '../sqlite/app-store.ts';
import { openIndexReader } from '../sqlite/index-reader.ts';
import { openIndexWriter } from '../sqlite/index-writer.ts';
import { discardIndex } from '../sqlite/replace-index.ts';
import { openNewApp, openNewIndex } from './new-stores.ts';
import { IDENTITY } from './sample-rows.ts';

/** Random cases per property: few by default, more with `npm run test:store`. */
export const PROPERTY_RUNS = { numRuns: Number(process.env.STORE_RUNS ?? 20) } as const;

/** An empty index and app store in a temporary folder. `dispose` closes what is open. */
export interface TestStores {
  openWriter(): Promise<IndexWriter>;
  openReader(): IndexReader;
  openApp(): Promise<AppStore>;
  /** Every file that the app store may write to; some may be missing. */
  appFiles(): readonly string[];
  /** Deletes the index, as a rebuild does. Its writer must be closed. */
  discardIndex(): Promise<void>;
  dispose(): Promise<void>;
}

/** The contract tests use SQLite through this function only, so another adapter can be tested in its place. */
export async function openStores(): Promise<TestStores> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const indexFile = join(folder, 'index.db');
  const appFile = join(folder, 'app.db');
  const opened: { close(): Promise<void> }[] = [];
  const track = <T extends { close(): Promise<void> }>(opening: T): T => {
    opened.push(opening);
    return opening;
  };
  return {
    openWriter: async () => track(await (existsSync(indexFile) ? openIndexWriter : openNewIndex)(indexFile)),
    openReader: () => track(openIndexReader(indexFile)),
    openApp: async () => track(await (existsSync(appFile) ? openAppStore : openNewApp)(appFile)),
    appFiles: () => ['', '-wal', '-journal'].map((ending) => `${appFile}${ending}`),
    discardIndex: () => discardIndex(indexFile),
    dispose: async () => {
      for (const one of opened) await one.close();
      await rm(folder, { recursive: true });
    },
  };
}

// The stores of the running test. They are opened before each test and closed after it.
export let stores: TestStores;
export let store: AppStore;
export let writer: IndexWriter;
export let reader: IndexReader;

/** Gives each test an empty app store. */
export function useAppStore(): void {
  beforeEach(async () => {
    stores = await openStores();
    store = await stores.openApp();
  });
  afterEach(() => stores.dispose());
}

/** Closes the app store of the running test, and opens it again. */
export async function reopenAppStore(): Promise<void> {
  await store.close();
  store = await stores.openApp();
}

/** Gives each test an empty, claimed index with a writer and a reader. */
export function useIndex(): void {
  beforeEach(async () => {
    stores = await openStores();
    reader = stores.openReader();
    writer = await stores.openWriter();
    await writer.claim(IDENTITY);
  });
  afterEach(() => stores.dispose());
}
