import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppStore, IndexReader, IndexWriter } from '../ports.ts';
import { openAppStore } from '../sqlite/app-store.ts';
import { discardIndex } from '../sqlite/discard-index.ts';
import { openIndexReader } from '../sqlite/index-reader.ts';
import { openIndexWriter } from '../sqlite/index-writer.ts';
import { IDENTITY } from './sample-rows.ts';

/** An empty memory of one adapter. What it opened and was left open is closed when it is disposed of. */
export interface StoreWorld {
  openWriter(): Promise<IndexWriter>;
  openReader(): IndexReader;
  openApp(): Promise<AppStore>;
  /** Every file that the app's memory may write to; some may not be there. */
  appFiles(): readonly string[];
  /** Throws the index away, as a rebuild does; its writer is closed. */
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
    openWriter: async () => kept(await openIndexWriter(indexFile)),
    openReader: () => kept(openIndexReader(indexFile)),
    openApp: async () => kept(await openAppStore(appFile)),
    appFiles: () => ['', '-wal', '-journal'].map((ending) => `${appFile}${ending}`),
    discardIndex: () => discardIndex(indexFile),
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A memory whose index is claimed, with its writer and a reader. */
export async function openClaimed(open: () => Promise<StoreWorld>) {
  const world = await open();
  const reader = world.openReader();
  const writer = await world.openWriter();
  await writer.claim(IDENTITY);
  return { world, reader, writer };
}

/** Every adapter there is: each passes the same contract. */
export const ADAPTERS: readonly { readonly name: string; readonly open: () => Promise<StoreWorld> }[] = [
  { name: 'SQLite', open: sqliteWorld },
];
