import type { TrailCheck } from '../rules/audit-chain.ts';
import type { CopiedRow, CopiedTable, CopyPageSize, RowKey } from './copied-tables.ts';

export interface ReadableStore {
  readonly name: string;
  /** The rows that follow the key `after`, or the first rows if `after` is null, sorted by key. */
  page(table: CopiedTable, after: RowKey | null, size: CopyPageSize): Promise<readonly CopiedRow[]>;
  checkTrail(): Promise<TrailCheck>;
  close(): Promise<void>;
}

export interface CopyState {
  /**
   * The number of audit records in the source when the copy began. If it differs when the copy continues, the copy is refused:
   * the source has changed, or is a different store.
   */
  readonly records: number;
  /** The head of the source's audit trail when the copy began. */
  readonly head: string | null;
  readonly table: string;
  /** The key of the last copied row of this table; null before the first row. */
  readonly after: RowKey | null;
}

/** An incomplete store, which the portal does not use yet. */
export interface CopyTarget extends ReadableStore {
  /** The state of an interrupted copy; null if none began. @throws {StoreUnavailableError} when the store is in use */
  readState(): Promise<CopyState | null>;
  begin(state: CopyState): Promise<void>;
  /** Stores rows, and the state of the copy after them, in one transaction. */
  add(table: CopiedTable, rows: readonly CopiedRow[], state: CopyState): Promise<void>;
  rebuildDerivedData(): Promise<void>;
  /** Marks the store as complete, so that the portal can use it. */
  complete(): Promise<void>;
}
