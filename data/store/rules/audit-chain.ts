import { hash } from 'node:crypto';
import type { AuditRecord } from '../audit-port.ts';

/** The value that the first record of a chain uses as the previous hash. */
export const CHAIN_START = '0'.repeat(64);

/** Sorted by key, so that equal details always have the same hash. */
function sortedByKey(details: AuditRecord['details']): readonly (readonly [string, unknown])[] {
  return Object.entries(details).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The SHA-256 hash (hex) of a record together with the previous record's hash. */
export function auditHash(previous: string, record: AuditRecord): string {
  const { id, at, actor, action, address = null, details } = record;
  const text = JSON.stringify([previous, id, at, actor, action, address, sortedByKey(details)]);
  return hash('sha256', text);
}

/** A stored record; `hash` is null for records older than the chain. */
export interface StoredRecord extends AuditRecord {
  readonly sequence: number;
  readonly hash: string | null;
}

/** The first record that does not match the chain before it. */
interface BrokenLink {
  readonly sequence: number;
  readonly id: string;
  /**
   * `unlinked`: the record has no hash although the chain has begun. `altered`: this record was changed, or an earlier one was
   * changed or removed.
   */
  readonly reason: 'unlinked' | 'altered';
}

export interface TrailCheck {
  readonly records: number;
  /** How many records are older than the chain. */
  readonly unlinked: number;
  /** The hash of the newest valid record; null if the chain has not begun. Changing any earlier record would change this hash. */
  readonly head: string | null;
  readonly broken: BrokenLink | null;
  /** Whether a record has the expected hash. If so, the trail up to that record is the same as at the earlier check. */
  readonly isExpectedHeadFound: boolean;
}

/**
 * Checks the records of a trail one by one, in the order in which they were added, up to the first invalid one.
 * @param expectedHead the head of an earlier check; without it, a truncated trail looks complete
 */
export function createTrailCheck(expectedHead?: string) {
  let [records, unlinked] = [0, 0];
  let isExpectedHeadFound = false;
  let head: string | null = null;
  let broken: BrokenLink | null = null;
  const reasonAgainst = (record: StoredRecord): BrokenLink['reason'] | null => {
    if (record.hash === null) return head === null ? null : 'unlinked';
    return auditHash(head ?? CHAIN_START, record) === record.hash ? null : 'altered';
  };
  return {
    /** Checks the next record. @returns false once a record is invalid; later records need not be added */
    add(record: StoredRecord): boolean {
      const { sequence, id, hash } = record;
      const reason = reasonAgainst(record);
      if (reason !== null) broken ??= { sequence, id, reason };
      if (broken !== null) return false;
      if (hash === null) unlinked += 1;
      else head = hash;
      if (hash !== null && hash === expectedHead) isExpectedHeadFound = true;
      records += 1;
      return true;
    },
    result: (): TrailCheck => ({ records, unlinked, head, broken, isExpectedHeadFound }),
  };
}

export function checkTrail(trail: Iterable<StoredRecord>, expectedHead?: string): TrailCheck {
  const check = createTrailCheck(expectedHead);
  for (const record of trail) if (!check.add(record)) break;
  return check.result();
}
