import type Database from 'better-sqlite3';
import { assertOpen, explainError, runGuarded, type StoreFile } from './store-files.ts';

interface Call {
  /** @returns a function that resolves the caller's promise, to be called once the commit is on disk */
  readonly work: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets concurrent calls share a commit, since most of a call's cost is the sync to disk. See `docs/decisions/group-commit.md`.
 */
export interface GroupCommit {
  /**
   * Runs a transaction as part of the next shared commit, and resolves once that commit is on disk. If the transaction
   * throws, none of its changes are written and only this call rejects. If the commit fails, every call in it rejects. A
   * transaction may run twice, if another call in the same commit fails, so it must change nothing but the store.
   */
  run<T>(transaction: () => T): Promise<T>;
  flush(): void;
}

class FailedCallError extends Error {}

export function createGroupCommit(client: Database.Database, kind: StoreFile): GroupCommit {
  // Savepoints write old pages to a temporary file by default, which takes several times as long as the commit itself.
  client.pragma('temp_store = MEMORY');
  let waiting: Call[] = [];

  /** Runs the calls without savepoints: one failure rolls back the whole transaction. */
  const runTogether = client.transaction((calls: readonly Call[]): readonly (() => void)[] =>
    calls.map(({ work }) => {
      try {
        return work();
      } catch (error) {
        // When the disk is full or broken, SQLite has already rolled the transaction back.
        throw client.inTransaction ? new FailedCallError('', { cause: error }) : error;
      }
    }),
  );

  /** Runs each call in its own savepoint, so that one call can fail without the others. */
  const runApart = client.transaction((calls: readonly Call[]): readonly (() => void)[] =>
    calls.map(({ work, reject }) => {
      try {
        return client.transaction(work)();
      } catch (error) {
        if (!client.inTransaction) throw error;
        return () => reject(explainError(client, kind, error));
      }
    }),
  );

  /** Tries without savepoints first, because calls rarely fail and a savepoint takes a large part of a call's time. */
  const commit = (calls: readonly Call[]): readonly (() => void)[] => {
    try {
      return runTogether.immediate(calls);
    } catch (error) {
      if (!(error instanceof FailedCallError)) throw error;
      return runApart.immediate(calls);
    }
  };

  const flush = (): void => {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      for (const resolve of runGuarded(client, kind, () => commit(calls))) resolve();
    } catch (error) {
      for (const { reject } of calls) reject(error);
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
