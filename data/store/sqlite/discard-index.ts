import { rm } from 'node:fs/promises';

/**
 * Removes an index file with its log, so that the indexer builds it again from the chain. Its writer must be closed;
 * readers may stay open, and move to the new file by themselves.
 */
export async function discardIndex(file: string): Promise<void> {
  // The file first: a log without its file is nothing, a file without its log would be an older index.
  for (const part of [file, `${file}-wal`, `${file}-shm`]) await rm(part, { force: true });
}
