import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../data/store/audit-port.ts';

interface Action {
  /** As `noun.verb`. */
  readonly action: string;
  readonly at: number;
  /** Ids and roles only: no names, secrets or typed text. */
  readonly details?: AuditRecord['details'];
}

/** An audit record for an admin's action, with the network address of the request. */
export function adminRecord(
  { id, address }: { readonly id: string; readonly address: string },
  { action, at, details = {} }: Action,
): AuditRecord {
  return { id: randomUUID(), at, actor: id, action, details, address };
}
