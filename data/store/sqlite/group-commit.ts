import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../store-errors.ts';
import { storeFault } from './store-faults.ts';
import type { StoreFile } from './store-files.ts';

interface Job {
  /** @returns tells the caller of it, once it is on the disk. */
  readonly work: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** Lets several calls that come at once share one commit: bringing it onto the disk is most of what a call costs. */
export interface GroupCommit {
  /**
   * Runs a transaction of its own within the next common one. Resolves once that is on the disk; rejects, with nothing
   * of this call written, where it fails. Another call's failure does not touch it, but a failing commit fails all.
   */
  run<T>(transaction: () => T): Promise<T>;
  /** Commits what waits, at once. */
  flush(): void;
}

export function createGroupCommit(client: Database.Database, kind: StoreFile): GroupCommit {
  // Each call in a commit is a savepoint, whose old pages SQLite writes into a file of their own otherwise: several times
  // as much as the commit itself.
  client.pragma('temp_store = MEMORY');
  let waiting: Job[] = [];

  const runAll = client.transaction((jobs: readonly Job[]): readonly (() => void)[] =>
    jobs.map(({ work, reject }) => {
      try {
        return work();
      } catch (error) {
        // A full or broken disk ends the whole transaction: what came before is undone with it.
        if (!client.inTransaction) throw error;
        return () => reject(storeFault(client.name, kind, error));
      }
    }),
  );

  const flush = (): void => {
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    try {
      for (const tell of runAll.immediate(jobs)) tell();
    } catch (error) {
      for (const { reject } of jobs) reject(storeFault(client.name, kind, error));
    }
  };

  return {
    run: <T>(transaction: () => T): Promise<T> => {
      if (!client.open) {
        const words = `${client.name} was closed by this program; open it again.`;
        return Promise.reject(new StoreUnavailableError(words));
      }
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        // Inside the common transaction that of the call is a savepoint: it is undone alone.
        const savepoint = client.transaction(transaction);
        const work = () => {
          const value = savepoint();
          return () => resolve(value);
        };
        waiting.push({ work, reject });
      });
    },
    flush,
  };
}
