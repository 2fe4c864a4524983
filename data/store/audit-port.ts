/** What was done, by whom and when. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** Who acted: `system`, `visitor` for who has no account, `operator` at the server's shell, or an admin's id. Never a name or an address of a person. */
  readonly actor: string;
  /** What was done, as `noun.verb`. */
  readonly action: string;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** The network address that an admin acted from; absent or null where a visitor or the portal acted. */
  readonly address?: string | null;
}

/** The audit trail: records are added, never changed. */
export interface AuditStore {
  /**
   * Adds one record; the same record again is the same record.
   * @throws {RangeError} where the id is taken by another record: what is recorded is never overwritten.
   */
  recordAudit(record: AuditRecord): Promise<void>;
  /** Newest first: by time, then the one recorded last. */
  auditTrail(limit: number): Promise<readonly AuditRecord[]>;
  /** Newest first by the order of recording, those recorded before one of that sequence number; from the newest for null. */
  auditPage(
    before: number | null,
    limit: number,
  ): Promise<readonly (AuditRecord & { readonly sequence: number })[]>;
}
