import type { AuditRecord } from '../audit-port.ts';
import type { PoolState } from '../ports.ts';

export type { DatabaseSettings } from '../../model/database-settings.ts';

export type Value = string | number | boolean | Buffer | null | readonly Value[];

/** A statement with the schema filled in, and the name under which connections prepare it. */
export interface Statement<Row> {
  readonly text: string;
  readonly name: string | undefined;
  /** Never set. It only carries the type of the rows. */
  readonly row?: Row;
}

/** SQL for the time in Unix milliseconds by the server's clock, which is the same for all programs. */
export const SERVER_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

export interface Queries {
  all<Row extends object>(statement: Statement<Row>, ...values: readonly Value[]): Promise<readonly Row[]>;
  get<Row extends object>(statement: Statement<Row>, ...values: readonly Value[]): Promise<Row | null>;
  /** @returns how many rows changed */
  run(statement: Statement<object>, ...values: readonly Value[]): Promise<number>;
}

export interface Transaction extends Queries {
  /**
   * Adds an audit record. Records are only stored at the end of the transaction, because storing them keeps other transactions
   * from adding records until the commit.
   */
  record(record: AuditRecord): void;
}

export interface Database extends Queries {
  /** The channel on which the programs that use the schema notify each other. */
  readonly channel: string;
  /** @param text SQL, in which `$.` precedes the name of each table */
  statement<Row extends object>(text: string): Statement<Row>;
  /**
   * Runs a transaction. `work` may run several times, so it must change nothing but the store.
   * @param locks the names to lock until the transaction ends. They are locked in a separate statement before
   * `work` runs, because a statement does not see what was committed while it waited for a lock.
   */
  transaction<T>(locks: readonly string[], work: (transaction: Transaction) => Promise<T>): Promise<T>;
  onWebhooksQueued(announce: () => void): void;
  /** `announce` is called after each transaction that added audit records, with these records. */
  onRecorded(announce: (records: readonly AuditRecord[]) => void): void;
  pool(): PoolState;
  /** Whether a statement failed because the server's disk is full, and no `retryWriting` has succeeded since then. */
  isFull(): boolean;
  /** While the disk counts as full, calls a function that writes. If it succeeds, the disk no longer counts as full. */
  retryWriting(write: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
