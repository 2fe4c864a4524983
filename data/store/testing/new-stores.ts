import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAppStore, openIndexWriter } from '../open-stores.ts';
import type { AppStore, IndexWriter } from '../ports.ts';
import { newFolder } from './temporary-folder.ts';

type Open<Store> = (file: string) => Promise<Store>;

const emptyFiles = new Map<Open<unknown>, Promise<Buffer>>();

async function createEmptyFile(open: Open<{ close(): Promise<void> }>): Promise<Buffer> {
  const folder = newFolder();
  const file = join(folder, 'empty.db');
  await (await open(file)).close();
  const content = await readFile(file);
  await rm(folder, { recursive: true });
  return content;
}

/** Opens a copy of an empty migrated file. Migrating a new one takes four times as long. */
async function openCopy<Store extends { close(): Promise<void> }>(
  open: Open<Store>,
  file: string,
): Promise<Store> {
  const empty = emptyFiles.get(open) ?? createEmptyFile(open);
  emptyFiles.set(open, empty);
  await writeFile(file, await empty, { flag: 'wx' });
  return open(file);
}

export const openNewApp = (file: string): Promise<AppStore> => openCopy(openAppStore, file);
export const openNewIndex = (file: string): Promise<IndexWriter> => openCopy(openIndexWriter, file);
