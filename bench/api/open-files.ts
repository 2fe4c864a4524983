import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How many files and sockets a process that is started here may have open; null where the system does not tell. */
export async function openFileLimit(): Promise<number | null> {
  try {
    const { stdout } = await run('sh', ['-c', 'ulimit -n']);
    const limit = stdout.trim();
    if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
    return /^\d+$/.test(limit) ? Number(limit) : null;
  } catch {
    return null;
  }
}
