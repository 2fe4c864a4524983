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
   * of this call written, where it fails. Another call's failure does not touch it, but a failing commit fails all. The
   * transaction is run again where another call of the same commit fails, so it must change nothing but the store.
   */
  run<T>(transaction: () => T): Promise<T>;
  /** Commits what waits, at once. */
  flush(): void;
}

/** A call's own failure within a common commit. */
class FailedCall extends Error {}

export function createGroupCommit(client: Database.Database, kind: StoreFile): GroupCommit {
  // Calls that are run apart are savepoints, whose old pages SQLite writes into a file of their own otherwise: several
  // times as much as the commit itself.
  client.pragma('temp_store = MEMORY');
  let waiting: Job[] = [];

  /** The calls after one another, without a means to undo one of them: a failure ends the whole transaction. */
  const runTogether = client.transaction((jobs: readonly Job[]): readonly (() => void)[] =>
    jobs.map(({ work }) => {
      try {
        return work();
      } catch (error) {
        // A full or broken disk ends the transaction by itself.
        throw client.inTransaction ? new FailedCall('', { cause: error }) : error;
      }
    }),
  );

  /** The calls as savepoints, of which each is undone alone. */
  const runApart = client.transaction((jobs: readonly Job[]): readonly (() => void)[] =>
    jobs.map(({ work, reject }) => {
      try {
        return client.transaction(work)();
      } catch (error) {
        if (!client.inTransaction) throw error;
        return () => reject(storeFault(client.name, kind, error));
      }
    }),
  );

  /** Nearly always none fails; and a savepoint a call costs a good part of what a call costs. */
  const commit = (jobs: readonly Job[]): readonly (() => void)[] => {
    try {
      return runTogether.immediate(jobs);
    } catch (error) {
      if (!(error instanceof FailedCall)) throw error;
      return runApart.immediate(jobs);
    }
  };

  const flush = (): void => {
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    try {
      for (const tell of commit(jobs)) tell();
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
        const work = () => {
          const value = transaction();
          return () => resolve(value);
        };
        waiting.push({ work, reject });
      });
    },
    flush,
  };
}
