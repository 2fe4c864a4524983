import type { IndexIdentity } from './chain-rows.ts';

/** The index belongs to a different chain, mint or pool than the configured one, or is not claimed yet. */
export class StoreIdentityError extends Error {
  override readonly name = 'StoreIdentityError';
  /** The fields that differ; empty when the index was not claimed. */
  readonly differing: readonly (keyof IndexIdentity)[];

  constructor(message: string, differing: readonly (keyof IndexIdentity)[] = []) {
    super(message);
    this.differing = differing;
  }
}

/**
 * How an open file or its write-ahead log was lost. After `missing` and `replaced`, the opened file can still be read.
 * `overwritten`: another program wrote into the file or truncated it.
 */
export type FileLoss = 'missing' | 'replaced' | 'overwritten' | 'log-lost';

/** Each loss as text that follows the file's name in a message. */
export const LOSS_TEXTS: Readonly<Record<FileLoss, string>> = {
  missing: 'was removed',
  replaced: 'was replaced by another file',
  overwritten: 'was overwritten or truncated',
  'log-lost': 'lost its write-ahead log',
};

/** Why the app store cannot store anything. `full`: the disk or the quota is full, or the disk refuses writes. */
export type StoreProblem = { readonly kind: 'full' } | { readonly kind: 'lost'; readonly loss: FileLoss };

/** The store cannot be opened, read or written. The message says what an operator can do. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** Set if the disk is full or refuses writes, or if the file was lost; otherwise null. */
  readonly problem: StoreProblem | null;

  constructor(
    message: string,
    { problem = null, ...options }: ErrorOptions & { problem?: StoreProblem | null } = {},
  ) {
    super(message, options);
    this.problem = problem;
  }
}

/**
 * Another program has taken over the lease and is now the writer, so nothing was stored. This program must stop writing. It
 * may try to take the lease again.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * Whether an error means that the disk or the user's quota is full, or that the disk refuses writes. SQLite reports
 * a full quota as a failed write. `SHMSIZE`: SQLite could not extend the index of its write-ahead log.
 */
export function isWriteError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(SQLITE_FULL|SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMSIZE)|ENOSPC|EDQUOT|EROFS)$/.test(
      String(error.code),
    )
  );
}
