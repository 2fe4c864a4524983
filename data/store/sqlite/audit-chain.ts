import { createHash } from 'node:crypto';
import type { AuditRecord } from '../audit-port.ts';

/** The hash before the first record of a chain. */
export const CHAIN_START = '0'.repeat(64);

/** A value with the keys of its objects in order, so that the same value is always written the same. */
function ordered(details: AuditRecord['details']): readonly (readonly [string, unknown])[] {
  return Object.entries(details).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The link of a record: SHA-256, in hex, over all of it and the link before it. */
export function auditHash(previous: string, record: AuditRecord): string {
  const { id, at, actor, action, address = null, details } = record;
  const written = JSON.stringify([previous, id, at, actor, action, address, ordered(details)]);
  return createHash('sha256').update(written).digest('hex');
}

/** A record as it is stored; `hash` is null where it is older than the chain. */
export interface LinkedRecord extends AuditRecord {
  readonly sequence: number;
  readonly hash: string | null;
}

/** Where the trail is no longer what was recorded. */
export interface BrokenLink {
  /** The first record that does not follow from those before it. */
  readonly sequence: number;
  readonly id: string;
  /** `unlinked`: it has no link, though the chain had begun. `altered`: it, or one before it, was changed or taken out. */
  readonly fault: 'unlinked' | 'altered';
}

export interface TrailCheck {
  /** Records that were looked at, and those of them that are older than the chain. */
  readonly records: number;
  readonly unlinked: number;
  /** The link of the newest record that holds; null where no chain has begun. Nothing before it can change unseen. */
  readonly head: string | null;
  readonly broken: BrokenLink | null;
  /** Whether a record has the link that was looked for: what came up to it is as it was then. */
  readonly isExpectedHeadFound: boolean;
}

/**
 * Follows a trail from its first record, in the order of recording, up to the first that does not hold.
 * @param expectedHead a link that an earlier check told: without it a trail whose end was cut off looks whole.
 */
export function checkTrail(trail: Iterable<LinkedRecord>, expectedHead?: string): TrailCheck {
  let [records, unlinked] = [0, 0];
  let isExpectedHeadFound = false;
  let head: string | null = null;
  const sofar = () => ({ records, unlinked, head, isExpectedHeadFound });
  for (const record of trail) {
    const { sequence, id, hash } = record;
    const broken = (fault: BrokenLink['fault']) => ({ ...sofar(), broken: { sequence, id, fault } });
    if (hash === null) {
      if (head !== null) return broken('unlinked');
      unlinked += 1;
    } else {
      if (auditHash(head ?? CHAIN_START, record) !== hash) return broken('altered');
      head = hash;
      if (hash === expectedHead) isExpectedHeadFound = true;
    }
    records += 1;
  }
  return { ...sofar(), broken: null };
}
