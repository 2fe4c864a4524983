import type { TrailCheck } from '../rules/audit-chain.ts';
import type { CopiedRow, CopiedTable, PageSize, RowKey } from './copied-tables.ts';

/** A store that rows are copied from, or compared with. */
export interface StoreSide {
  /** The name for messages. */
  readonly name: string;
  /** The rows after a key, sorted by key. */
  page(table: CopiedTable, after: RowKey | null, size: PageSize): Promise<readonly CopiedRow[]>;
  checkTrail(): Promise<TrailCheck>;
  close(): Promise<void>;
}

/** How far a copy has come. */
export interface CopyState {
  /** The audit trail of the source when the copy began: another store, or a used one, has another one. */
  readonly records: number;
  readonly head: string | null;
  /** The table that is being copied, and the key of its last row that was; null before the first one. */
  readonly table: string;
  readonly after: RowKey | null;
}

/** An incomplete store, which the portal does not use yet. */
export interface CopyTarget extends StoreSide {
  /** The state of an interrupted copy; null if none began. @throws {StoreUnavailableError} when the store is in use */
  readState(): Promise<CopyState | null>;
  begin(state: CopyState): Promise<void>;
  /** Stores rows and the state after them in one transaction. */
  add(table: CopiedTable, rows: readonly CopiedRow[], state: CopyState): Promise<void>;
  /** Builds what is derived from the rows. */
  derive(): Promise<void>;
  /** Lets the portal use the store. */
  complete(): Promise<void>;
}
