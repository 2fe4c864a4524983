import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendOutcome } from './send-outcome.ts';

/** The owner alone reads what was sent in confidence. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Writes a whole file onto the disk; the folder is made when it is found missing, not looked for each time. */
async function writeWhole(folder: string, file: string, content: string | Buffer): Promise<void> {
  const write = () => writeFile(file, content, { mode: FILE_MODE, flush: true });
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await write();
  }
}

/**
 * Writes one message as a file, whole or not at all. The same name again is the same message, and takes its place.
 */
export async function writeToOutbox(
  folder: string,
  name: string,
  content: string | Buffer,
): Promise<SendOutcome> {
  const unfinished = join(folder, `.${name}.unfinished`);
  try {
    await writeWhole(folder, unfinished, content);
    await rename(unfinished, join(folder, name));
    return { kind: 'sent', providerId: name };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'fault';
    const words = 'The outbox folder cannot be written. Make it writable, and free some space.';
    return { kind: 'pause', reason: 'unreachable', code, error: words };
  }
}

/** A name that sorts by time (Unix ms) and is the same for each try of a delivery. */
export function outboxName(at: number, id: string, ending: string): string {
  return `${new Date(at).toISOString().replaceAll(/[-:]/g, '')}-${id}.${ending}`;
}
