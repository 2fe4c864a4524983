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

/** How many random cases a property of the store tries: few by default, more with `npm run test:store`. */
const { STORE_RUNS = '20' } = process.env;

export const PROPERTY_RUNS = { numRuns: Number(STORE_RUNS) } as const;

/** An empty index and app store of one adapter. `dispose` closes what is open. */
export interface StoreWorld {
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
async function sqliteWorld(): Promise<StoreWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  const indexFile = join(folder, 'index.db');
  const appFile = join(folder, 'app.db');
  const opened: { close(): Promise<void> }[] = [];
  const kept = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  return {
    openWriter: async () => kept(await (existsSync(indexFile) ? openIndexWriter : openNewIndex)(indexFile)),
    openReader: () => kept(openIndexReader(indexFile)),
    openApp: async () => kept(await (existsSync(appFile) ? openAppStore : openNewApp)(appFile)),
    appFiles: () => ['', '-wal', '-journal'].map((ending) => `${appFile}${ending}`),
    discardIndex: () => discardIndex(indexFile),
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A world with a claimed index, its writer and a reader. */
export async function openClaimed(open: () => Promise<StoreWorld>) {
  const world = await open();
  const reader = world.openReader();
  const writer = await world.openWriter();
  await writer.claim(IDENTITY);
  return { world, reader, writer };
}

/** Every adapter: each fulfils the same contract. */
export const ADAPTERS: readonly { readonly name: string; readonly open: () => Promise<StoreWorld> }[] = [
  { name: 'SQLite', open: sqliteWorld },
];
