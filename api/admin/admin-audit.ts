import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { AuditRecord } from '../../data/store/audit-port.ts';

export const requestAddress = ({ ip = 'disconnected' }: Request): string => ip;

/** An audit record of an admin's action. `details` must not contain people's names, secrets or text that someone typed. */
export function adminAuditRecord(
  { id, address }: { readonly id: string; readonly address: string },
  { action, at, details = {} }: Pick<AuditRecord, 'action' | 'at'> & Partial<Pick<AuditRecord, 'details'>>,
): AuditRecord {
  return { id: randomUUID(), at, actor: id, action, details, address };
}
