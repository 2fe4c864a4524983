import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppStore, IndexReader, IndexWriter } from '../ports.ts';
import { openAppStore } from '../sqlite/app-store.ts';
import { openIndexReader } from '../sqlite/index-reader.ts';
import { openIndexWriter } from '../sqlite/index-writer.ts';
import { discardIndex } from '../sqlite/replace-index.ts';
import { openNewApp, openNewIndex } from './new-stores.ts';
import { IDENTITY } from './sample-rows.ts';

/** Random cases per store property: few by default, more with `npm run test:store`. */
const { STORE_RUNS = '20' } = process.env;

export const PROPERTY_RUNS = { numRuns: Number(STORE_RUNS) } as const;

/** An empty index and app store of one adapter. `dispose` closes what is open. */
export interface TestStores {
  openWriter(): Promise<IndexWriter>;
  openReader(): IndexReader;
  openApp(): Promise<AppStore>;
  /** Every file that the app store may write to; some may be missing. */
  appFiles(): readonly string[];
  /** Deletes the index, as a rebuild does; its writer is closed. */
  discardIndex(): Promise<void>;
  dispose(): Promise<void>;
}

/** A temporary folder that holds the SQLite adapter's files. */
async function sqliteStores(): Promise<TestStores> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const indexFile = join(folder, 'index.db');
  const appFile = join(folder, 'app.db');
  const opened: { close(): Promise<void> }[] = [];
  const track = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  return {
    openWriter: async () => track(await (existsSync(indexFile) ? openIndexWriter : openNewIndex)(indexFile)),
    openReader: () => track(openIndexReader(indexFile)),
    openApp: async () => track(await (existsSync(appFile) ? openAppStore : openNewApp)(appFile)),
    appFiles: () => ['', '-wal', '-journal'].map((ending) => `${appFile}${ending}`),
    discardIndex: () => discardIndex(indexFile),
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A claimed index with its writer and a reader. */
export async function openClaimed(open: () => Promise<TestStores>) {
  const stores = await open();
  const reader = stores.openReader();
  const writer = await stores.openWriter();
  await writer.claim(IDENTITY);
  return { stores, reader, writer };
}

/** All adapters pass the same contract tests. */
export const ADAPTERS: readonly { readonly name: string; readonly open: () => Promise<TestStores> }[] = [
  { name: 'SQLite', open: sqliteStores },
];
