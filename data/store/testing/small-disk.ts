import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallDisk {
  readonly folder: string;
  grow(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Mounts a tmpfs. Returns null if that is not permitted, for example without root or in most containers. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'bd-disk-'));
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (!mounted) {
    await rmdir(folder);
    return null;
  }
  return {
    folder,
    grow: async (size) => {
      await run('mount', ['-o', `remount,size=${size}`, folder]);
    },
    async close() {
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}
