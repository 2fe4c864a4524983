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

/** The server's clock in Unix milliseconds, which is the same for all programs. */
export const SERVER_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

export interface Queries {
  all<Row extends object>(statement: Statement<Row>, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** The first row, or null. */
  get<Row extends object>(statement: Statement<Row>, ...values: readonly Value[]): Promise<Row | null>;
  /** @returns how many rows changed */
  run(statement: Statement<object>, ...values: readonly Value[]): Promise<number>;
}

export interface Transaction extends Queries {
  /**
   * Adds an audit record. It is stored at the end of the transaction, because from then until the commit, no other
   * transaction can add records.
   */
  record(record: AuditRecord): void;
}

export interface Database extends Queries {
  /** The channel on which the programs that use the schema notify each other. */
  readonly channel: string;
  /** @param text SQL, in which `$.` precedes the name of each table */
  statement<Row extends object>(text: string): Statement<Row>;
  /**
   * Runs a transaction. It may run several times, so it must change nothing but the store.
   * @param locks the names to lock until the transaction ends. They are locked in a separate statement before
   * the work, because a statement does not see what was committed while it waited for a lock.
   */
  transaction<T>(locks: readonly string[], work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Sets the function that is called after each transaction that queued webhooks. */
  onWebhooksQueued(announce: () => void): void;
  /** Sets the function that is called after each transaction, with the audit records that the transaction added. */
  onRecorded(announce: (records: readonly AuditRecord[]) => void): void;
  pool(): PoolState;
  /** Whether a statement failed because the server's disk is full, and no `retryWriting` has succeeded since then. */
  isFull(): boolean;
  /** After a full disk, calls a function that writes. If it succeeds, the disk no longer counts as full. */
  retryWriting(write: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}
