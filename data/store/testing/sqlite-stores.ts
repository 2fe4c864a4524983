import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAppStore, openIndexReader, openIndexWriter } from '../open-stores.ts';
import { discardIndex } from '../sqlite/replace-index.ts';
import { openNewApp, openNewIndex } from './new-stores.ts';
import { newFolder } from './temporary-folder.ts';
import type { TestStores } from './test-stores-port.ts';

export async function openSqliteStores(): Promise<TestStores> {
  const folder = newFolder();
  const indexFile = join(folder, 'index.db');
  const appFile = join(folder, 'app.db');
  const opened: { close(): Promise<void> }[] = [];
  const track = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  return {
    isShared: false,
    openWriter: async () => track(await (existsSync(indexFile) ? openIndexWriter : openNewIndex)(indexFile)),
    openReader: async () => track(await openIndexReader(indexFile)),
    openApp: async () => track(await (existsSync(appFile) ? openAppStore : openNewApp)(appFile)),
    readAppBytes: async () => {
      const files = ['', '-wal', '-journal'].map((ending) => `${appFile}${ending}`).filter(existsSync);
      return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
    },
    discardIndex: () => discardIndex(indexFile),
    dispose: async () => {
      for (const one of opened) await one.close();
      await rm(folder, { recursive: true });
    },
  };
}
