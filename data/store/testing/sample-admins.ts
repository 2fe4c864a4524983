import type { AdminSession, NewAdmin, SecondFactor } from '../admin-port.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { AppStore } from '../ports.ts';

/** 2026-01-02T03:04:05Z, in Unix milliseconds. */
export const SIGNED_IN_AT = 1_767_323_045_000;
export const IP_ADDRESS = '203.0.113.7';
const HOUR_MS = 3_600_000;

/** An account with its username as its id. */
export function sampleAdmin(username: string, changes: Partial<NewAdmin> = {}): NewAdmin {
  return {
    id: username,
    username,
    email: `${username}@example.com`,
    role: 'owner',
    passwordHash: `hash of ${username}`,
    createdAt: SIGNED_IN_AT,
    addedBy: null,
    ...changes,
  };
}

export function adminAudit(action: string, changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: crypto.randomUUID(),
    at: SIGNED_IN_AT,
    actor: 'operator',
    action,
    details: {},
    address: IP_ADDRESS,
    ...changes,
  };
}

function sampleSession(adminId: string, changes: Partial<AdminSession> = {}): AdminSession {
  return {
    id: crypto.randomUUID(),
    adminId,
    startedAt: SIGNED_IN_AT,
    lastSeenAt: SIGNED_IN_AT,
    expiresAt: SIGNED_IN_AT + HOUR_MS,
    address: IP_ADDRESS,
    userAgent: 'Test',
    ...changes,
  };
}

export function signIn(
  { admins }: Pick<AppStore, 'admins'>,
  adminId: string,
  secondFactor: SecondFactor | null = null,
  session: Partial<AdminSession> = {},
) {
  const newSession = sampleSession(adminId, session);
  const passwordHash = `hash of ${adminId}`;
  return admins.signIn(
    {
      token: `token of ${newSession.id}`,
      session: newSession,
      passwordHash,
      secondFactor,
      address: IP_ADDRESS,
    },
    adminAudit('admin.signed-in'),
  );
}

export async function addAdminWithTotp(
  { admins }: Pick<AppStore, 'admins'>,
  id: string,
  codes: readonly string[],
) {
  const sealedSecret = Buffer.from(`secret of ${id}`);
  await admins.add(sampleAdmin(id), adminAudit('admin.added'));
  await admins.offerTotp(id, sealedSecret, adminAudit('totp.offered'));
  const confirmed = { sealedSecret, step: 1, recoveryCodes: codes, keptSessionId: '' };
  await admins.confirmTotp(id, confirmed, adminAudit('totp.confirmed'));
}
