import type { AdminRole } from '../../model/admin-rules.ts';
import type { AdminLink } from '../admin-link-port.ts';
import type { QueuedDelivery } from './received-submission.ts';

/** The stored columns of a link, without its token's hash. */
export interface AdminLinkRow {
  readonly id: string;
  readonly kind: AdminLink['kind'];
  readonly email: string | null;
  readonly username: string | null;
  readonly role: AdminRole | null;
  readonly adminId: string | null;
  readonly removeTotp: boolean | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export function toLinkRow(link: AdminLink): AdminLinkRow {
  const { id, kind, email, createdBy, createdAt, expiresAt } = link;
  const row = { id, kind, email, createdBy, createdAt, expiresAt };
  return link.kind === 'invitation'
    ? { ...row, username: link.username, role: link.role, adminId: null, removeTotp: null }
    : { ...row, username: null, role: null, adminId: link.adminId, removeTotp: link.removeSecondFactors };
}

/** @throws {RangeError} when a column that this kind of link needs is null */
export function toLink(row: AdminLinkRow): AdminLink {
  const { id, kind, email, username, role, adminId, removeTotp, createdBy, createdAt, expiresAt } = row;
  const base = { id, createdBy, createdAt, expiresAt };
  if (kind === 'invitation' && email !== null && role !== null)
    return { ...base, kind, email, username, role };
  if (kind === 'password-reset' && adminId !== null && removeTotp !== null) {
    return { ...base, kind, email, adminId, removeSecondFactors: removeTotp };
  }
  throw new RangeError(`The link ${id} is incomplete.`);
}

export const linkDelivery = ({ id, kind, email }: AdminLink): QueuedDelivery => ({
  event: `admin-link.${kind}`,
  referenceNumber: id,
  channel: 'mail',
  audience: 'team',
  recipient: email,
});
