import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 1024 ** 3;

/** Whether the folder in memory exists, is writable and has enough free space. Docker limits it to 64 MB by default. */
function hasFreeMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** In memory if enough is free: on disk, each commit of an app store waits for the disk, often for milliseconds. */
const parentFolder = hasFreeMemory() ? MEMORY_FOLDER : tmpdir();

/** The caller must remove the folder. */
export const newFolder = (): string => mkdtempSync(join(parentFolder, 'store-'));

/** Creates a folder that is removed after the test. Call this function in a test or in `beforeEach`. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
