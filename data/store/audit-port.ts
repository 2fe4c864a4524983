/** Who did what, and when. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** `system`, `visitor`, `operator` (at the server's shell), or an admin's id. Never a person's name or address. */
  readonly actor: string;
  /** `noun.verb`. */
  readonly action: string;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** The network address of an admin; absent or null for visitors and the portal. */
  readonly address?: string | null;
}

/** The audit trail: records are added, never changed. */
export interface AuditStore {
  /**
   * Adds one record. Adding the same record again has no effect.
   * @throws {RangeError} when another record has the id: records are never overwritten.
   */
  recordAudit(record: AuditRecord): Promise<void>;
  /** Newest first. Starts before the sequence number `before`, or at the newest record. */
  auditTrail(
    limit: number,
    before?: number,
  ): Promise<readonly (AuditRecord & { readonly sequence: number })[]>;
}
