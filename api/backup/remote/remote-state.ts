import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const REMOTE_STATE_FILE = 'remote-copies.json';
const MODE = 0o600;

/**
 * What has been sent to a destination. The state is stored in a file next to `app.db`, because a backup
 * command cannot list what it has sent.
 */
const remoteStateSchema = z.object({
  /** A digest of the destination and the public keys. If either changes, nothing counts as sent. */
  targetDigest: z.string(),
  /** The newest backup that was sent and verified; null if none was. */
  backup: z.object({ name: z.string(), sha256: z.string(), bytes: z.number() }).nullable(),
  /** The SHA-256 digest of the list of erasures that was last sent; null if none was. */
  erasuresSha256: z.string().nullable(),
  /** The time in the name of that list (Unix ms); 0 if none was sent, or an earlier version of the portal sent it. */
  erasuresAt: z.number().default(0),
});
type RemoteState = z.infer<typeof remoteStateSchema>;

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** Reads what was sent to a destination. A file that is missing or damaged counts as empty, so everything is sent again. */
export function readRemoteState(folder: string, targetDigest: string): RemoteState {
  const empty = { targetDigest, backup: null, erasuresSha256: null, erasuresAt: 0 };
  try {
    const state = remoteStateSchema.parse(JSON.parse(readFileSync(join(folder, REMOTE_STATE_FILE), 'utf8')));
    return state.targetDigest === targetDigest ? state : empty;
  } catch {
    return empty;
  }
}

export function writeRemoteState(folder: string, state: RemoteState): void {
  const file = join(folder, REMOTE_STATE_FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { mode: MODE, flush: true });
  renameSync(`${file}.new`, file);
}
