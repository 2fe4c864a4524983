import { randomUUID } from 'node:crypto';
import type { AuditRecord } from '../../data/store/audit-port.ts';

interface Action {
  /** As `noun.verb`. */
  readonly action: string;
  readonly at: number;
  /** Ids and roles only: no name, no secret, nothing that was typed. */
  readonly details?: AuditRecord['details'];
}

/** An audit record of an admin's action, with the network address it came from. */
export function adminRecord(
  { id, address }: { readonly id: string; readonly address: string },
  { action, at, details = {} }: Action,
): AuditRecord {
  return { id: randomUUID(), at, actor: id, action, details, address };
}
