import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendOutcome } from './send-outcome.ts';

/** Only the owner may read the files, because they contain personal data. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Writes a file and flushes it to the disk. Creates the folder if it is missing. */
async function writeFlushed(folder: string, file: string, content: string | Buffer): Promise<void> {
  const write = () => writeFile(file, content, { mode: FILE_MODE, flush: true });
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await write();
  }
}

/** Writes one message as a file, completely or not at all. A retry of the same message replaces its file. */
export async function writeToOutbox(
  folder: string,
  name: string,
  content: string | Buffer,
): Promise<SendOutcome> {
  const temporaryPath = join(folder, `.${name}.unfinished`);
  try {
    await writeFlushed(folder, temporaryPath, content);
    await rename(temporaryPath, join(folder, name));
    return { kind: 'sent', providerId: name };
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? String(failure.code) : 'unknown';
    const error = 'The portal cannot write to the outbox folder. Make it writable, or free some space.';
    return { kind: 'pause', reason: 'unreachable', code, error };
  }
}

/** A file name that sorts by time (Unix ms) and is the same for every attempt to send a message. */
export function outboxName(at: number, id: string, extension: string): string {
  return `${new Date(at).toISOString().replaceAll(/[-:]/g, '')}-${id}.${extension}`;
}
