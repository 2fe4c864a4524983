import type Database from 'better-sqlite3';
import { assertOpen, type StoreFile, storeError } from './store-files.ts';

interface Call {
  /** @returns resolves the caller's promise, once the commit is on disk */
  readonly work: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** Lets concurrent calls share one commit: syncing to disk is most of a call's cost. See `docs/decisions/group-commit.md`. */
export interface GroupCommit {
  /**
   * Runs a transaction within the next shared commit. Resolves once that commit is on disk. Rejects, with nothing of this
   * call written, when the transaction throws; other calls are unaffected. A failing commit rejects every call in it.
   * The transaction runs again when another call of the same commit fails, so it must change nothing but the store.
   */
  run<T>(transaction: () => T): Promise<T>;
  /** Commits the waiting calls at once. */
  flush(): void;
}

/** One call of a shared commit threw. */
class FailedCall extends Error {}

export function createGroupCommit(client: Database.Database, kind: StoreFile): GroupCommit {
  // Savepoints otherwise write old pages to a temporary file, which costs several times as much as the commit itself.
  client.pragma('temp_store = MEMORY');
  let waiting: Call[] = [];

  /** Runs the calls without savepoints: one failure ends the whole transaction. */
  const runTogether = client.transaction((calls: readonly Call[]): readonly (() => void)[] =>
    calls.map(({ work }) => {
      try {
        return work();
      } catch (error) {
        // SQLite ends the transaction itself when the disk is full or broken.
        throw client.inTransaction ? new FailedCall('', { cause: error }) : error;
      }
    }),
  );

  /** Runs each call in a savepoint, so that it can fail alone. */
  const runApart = client.transaction((calls: readonly Call[]): readonly (() => void)[] =>
    calls.map(({ work, reject }) => {
      try {
        return client.transaction(work)();
      } catch (error) {
        if (!client.inTransaction) throw error;
        return () => reject(storeError(client.name, kind, error));
      }
    }),
  );

  /** Tries without savepoints first: calls rarely fail, and savepoints cost a large part of the time of a call. */
  const commit = (calls: readonly Call[]): readonly (() => void)[] => {
    try {
      return runTogether.immediate(calls);
    } catch (error) {
      if (!(error instanceof FailedCall)) throw error;
      return runApart.immediate(calls);
    }
  };

  const flush = (): void => {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      for (const resolve of commit(calls)) resolve();
    } catch (error) {
      for (const { reject } of calls) reject(storeError(client.name, kind, error));
    }
  };

  return {
    async run<T>(transaction: () => T): Promise<T> {
      assertOpen(client);
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        const work = () => {
          const result = transaction();
          return () => resolve(result);
        };
        waiting.push({ work, reject });
      });
    },
    flush,
  };
}
