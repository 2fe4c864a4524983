export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /**
   * `system`, `visitor`, `wallet-owner` (proved control of the wallet), `issuer`, `operator` (on the server's command line),
   * or an admin's id. Never a person's name or address.
   */
  readonly actor: string;
  /** In the form `noun.verb`. */
  readonly action: string;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** An admin's IP address; absent or null for visitors and the portal. */
  readonly address?: string | null;
}

/** Times are Unix ms. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The reference number in the details. */
  readonly reference?: string | undefined;
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** The position of a record in the results of `findAudit`, which are sorted by time and then by sequence number. */
export type AuditPosition = Pick<StoredAuditRecord, 'at' | 'sequence'>;
export type StoredAuditRecord = AuditRecord & { readonly sequence: number };

export interface AuditStore {
  /**
   * Adds one record. Adding the same record again has no effect.
   * @throws {RangeError} when a different record has the same id: records are never overwritten.
   */
  recordAudit(record: AuditRecord): Promise<void>;
  /** The newest records, or the newest ones before the sequence number `before`; newest first. */
  auditTrail(limit: number, before?: number): Promise<readonly StoredAuditRecord[]>;
  /** The records that match a filter, sorted by time, newest first. @param after the last record of the previous page */
  findAudit(
    filter: AuditFilter,
    limit: number,
    after: AuditPosition | null,
  ): Promise<readonly StoredAuditRecord[]>;
  /** In alphabetical order. */
  auditActions(): Promise<readonly string[]>;
}
