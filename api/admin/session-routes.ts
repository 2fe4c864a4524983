import {
  adminLogin,
  adminLogout,
  adminSession,
  adminSessions,
  changeOwnPassword,
  revokeAdminSession,
} from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { mayActAs } from '../../data/model/admin-rules.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { clientAddress } from '../security/rate-limit.ts';
import { adminAuditRecord } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE_MS } from './admin-context.ts';
import { type AuthorizeAdmin, adminJsonRoute, type SignedInAdmin } from './authorize-admin.ts';
import type { CodeFactors } from './code-factor.ts';
import { RECOGNITION_PERIOD_MS } from './device-mark.ts';
import type { PasskeyFactors } from './passkey-factor.ts';
import { requireStrength } from './passwords.ts';
import { reauthenticateWithPassword } from './reauthenticate.ts';
import { signIn } from './sign-in.ts';

/** A sign-in triggers a cleanup of old sessions and attempts if the last cleanup was at least this many milliseconds ago. */
const SWEEP_INTERVAL_MS = 60_000;
/** How long, in ms, ended sessions and failed attempts are stored. */
export const ADMIN_DATA_RETENTION_MS = 24 * 60 * 60_000;

const iso = (at: number) => new Date(at).toISOString();

async function describeSession(
  admin: SignedInAdmin,
  { store, now }: AdminContext,
): Promise<ResponseOf<typeof adminSession>> {
  const at = now();
  const [account, sessions, recoveryCodesLeft] = await Promise.all([
    store.byId(admin.id),
    store.sessions(admin.id, at, at - SESSION_IDLE_MS),
    store.recoveryCodesLeft(admin.id),
  ]);
  const session = sessions.find(({ id }) => id === admin.sessionId);
  if (!account || !session) throw new ApiError('not-signed-in');
  const { id, username, role, email, hasTotp } = account;
  return {
    id: session.id,
    user: { id, username, role, email },
    hasTotp,
    recoveryCodesLeft,
    startedAt: iso(session.startedAt),
    expiresAt: iso(session.expiresAt),
  };
}

/** Owners get the sessions of the whole team, other admins only their own. */
async function visibleSessions(admin: SignedInAdmin, { store, now }: AdminContext) {
  const at = now();
  const adminId = mayActAs(admin.role, 'owner') ? null : admin.id;
  return store.sessions(adminId, at, at - SESSION_IDLE_MS);
}

async function listSessions(
  admin: SignedInAdmin,
  context: AdminContext,
): Promise<ResponseOf<typeof adminSessions>> {
  const [sessions, accounts] = await Promise.all([visibleSessions(admin, context), context.store.all()]);
  const names = new Map(accounts.map(({ id, username }) => [id, username]));
  return {
    sessions: sessions.map(({ id, adminId, address, userAgent, startedAt, lastSeenAt, expiresAt }) => ({
      id,
      username: names.get(adminId) ?? '',
      isOwn: adminId === admin.id,
      isThis: id === admin.sessionId,
      address,
      userAgent,
      startedAt: iso(startedAt),
      lastSeenAt: iso(lastSeenAt),
      expiresAt: iso(expiresAt),
    })),
  };
}

/** @returns how many sessions it ended. @throws {ApiError} `no-such-session` */
async function revoke(admin: SignedInAdmin, id: string, context: AdminContext): Promise<number> {
  const { store, now } = context;
  if (id === 'others') {
    const record = adminAuditRecord(admin, { action: 'admin.sessions-revoked', at: now() });
    return store.endSessions({ adminId: admin.id, exceptId: admin.sessionId }, record);
  }
  const session = (await visibleSessions(admin, context)).find((one) => one.id === id);
  if (!session) throw new ApiError('no-such-session');
  const details = { session: id, adminId: session.adminId };
  const record = adminAuditRecord(admin, { action: 'admin.session-revoked', at: now(), details });
  return store.endSessions({ id }, record);
}

export function adminSessionRoutes(
  context: AdminContext,
  authorize: AuthorizeAdmin,
  codeFactors: CodeFactors,
  passkeyFactors: PasskeyFactors,
): readonly ApiRoute[] {
  const { store, now, passwordHasher } = context;
  let sweptAt = Number.NEGATIVE_INFINITY;
  const sweep = async () => {
    if (now() - sweptAt < SWEEP_INTERVAL_MS) return;
    sweptAt = now();
    await store.sweepAdminData(sweptAt - ADMIN_DATA_RETENTION_MS, sweptAt - RECOGNITION_PERIOD_MS);
  };

  return [
    callRoute(adminLogin, { limit: 'admin-logins' }, async (request, response) => {
      const credentials = readBody(adminLogin.body, request.body);
      await sweep();
      response.json(
        await signIn(credentials, request, response, { ...context, codeFactors, passkeyFactors }),
      );
    }),
    adminJsonRoute(adminLogout, { authorize }, async (admin) => {
      const details = { session: admin.sessionId };
      const record = adminAuditRecord(admin, { action: 'admin.signed-out', at: now(), details });
      await store.endSessions({ id: admin.sessionId }, record);
      return { success: true };
    }),
    adminJsonRoute(adminSession, { authorize }, (admin) => describeSession(admin, context)),
    adminJsonRoute(adminSessions, { authorize }, (admin) => listSessions(admin, context)),
    adminJsonRoute(revokeAdminSession, { authorize, limit: 'admin-changes' }, async (admin, { id }) => {
      return { success: true, ended: await revoke(admin, id, context) };
    }),
    adminJsonRoute(changeOwnPassword, { authorize, limit: 'admin-changes' }, async (admin, body, request) => {
      const { password, newPassword } = body;
      await reauthenticateWithPassword(admin, password, context, async () => true);
      await requireStrength(newPassword, admin.username);
      const change = {
        passwordHash: await passwordHasher.hash(newPassword),
        keep: { session: admin.sessionId, address: clientAddress(request) },
        removeSecondFactors: false,
      };
      const record = adminAuditRecord(admin, { action: 'admin.password-changed', at: now() });
      if (!(await store.setPassword(admin.id, change, record))) throw new ApiError('not-signed-in');
      return { success: true };
    }),
  ];
}
