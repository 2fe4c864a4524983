import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { SignedInAdmin } from './signed-in-admin.ts';

interface Done {
  /** As `noun.verb`. */
  readonly action: string;
  readonly at: number;
  /** Ids and roles: neither a name, nor a secret, nor what was typed. */
  readonly details?: AuditRecord['details'];
}

/** The record of what an admin did, and from where. */
export function adminRecord(
  { id, address }: Pick<SignedInAdmin, 'id' | 'address'>,
  { action, at, details = {} }: Done,
): AuditRecord {
  return { id: randomUUID(), at, actor: id, action, details, address };
}

/** The record of what somebody did who is not signed in, and from where. */
export function visitorRecord(address: string, { action, at, details = {} }: Done): AuditRecord {
  return { id: randomUUID(), at, actor: 'visitor', action, details, address };
}
