import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const OTHERS_PERMISSIONS = 0o077;

/** Makes all files (0600) and folders (0700) that this process creates later, even SQLite's, accessible only to this user. */
export function setPrivateUmask(): void {
  process.umask(OTHERS_PERMISSIONS);
}

async function nullIfMissing<T>(operation: Promise<T>): Promise<T | null> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Removes other users' permissions from a folder and everything in it. Symbolic links are skipped. Files may appear and
 * vanish during the call, because other programs of the portal are running.
 * @returns the paths that other users can still access, because another user owns them
 */
export async function makePrivate(path: string): Promise<readonly string[]> {
  const stats = await nullIfMissing(lstat(path));
  if (stats === null || stats.isSymbolicLink()) return [];
  const unchangedPaths: string[] = [];
  if ((stats.mode & OTHERS_PERMISSIONS) !== 0) {
    const permissionChange = nullIfMissing(chmod(path, stats.mode & 0o777 & ~OTHERS_PERMISSIONS));
    await permissionChange.catch(() => unchangedPaths.push(path));
  }
  if (!stats.isDirectory()) return unchangedPaths;
  const names = await nullIfMissing(readdir(path)).catch(() => null);
  for (const name of names ?? []) unchangedPaths.push(...(await makePrivate(join(path, name))));
  return unchangedPaths;
}
