import type { RequestHandler } from 'express';
import {
  adminLogin,
  adminLogout,
  adminSession,
  adminSessions,
  changeOwnPassword,
  revokeAdminSession,
} from '../../data/contract/admin-session.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { mayActAs } from '../../data/model/admin-roles.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls, limited } from '../security/rate-limit.ts';
import { adminRecord } from './admin-audit.ts';
import { type AdminDesk, SESSION_IDLE } from './admin-desk.ts';
import { NoSuchSessionError, NotSignedInError } from './admin-errors.ts';
import { adminRoute } from './admin-route.ts';
import { provePassword } from './own-password.ts';
import { requireStrength } from './passwords.ts';
import type { SecondFactors } from './second-factor.ts';
import { signIn } from './sign-in.ts';
import type { AdmitAdmin, SignedInAdmin } from './signed-in-admin.ts';

const LOGINS_PER_MINUTE = 30;
const SWEEP_EVERY = 60_000;
/** Milliseconds that ended sessions and failures are remembered. */
export const ADMIN_RECORDS_KEPT = 24 * 60 * 60_000;

export interface AdminSessionOptions {
  readonly factors: SecondFactors;
  readonly loginsPerMinute?: number | undefined;
  /** Counts what changes something. */
  readonly limit: RequestHandler;
}

const iso = (at: number) => new Date(at).toISOString();

async function whoIs(
  admin: SignedInAdmin,
  { store, now }: AdminDesk,
): Promise<ResponseOf<typeof adminSession>> {
  const at = now();
  const [account, sessions, recoveryCodesLeft] = await Promise.all([
    store.byId(admin.id),
    store.sessions(admin.id, at, at - SESSION_IDLE),
    store.recoveryCodesLeft(admin.id),
  ]);
  const session = sessions.find(({ id }) => id === admin.sessionId);
  if (!account || !session) throw new NotSignedInError();
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

/** Sessions that an admin may see and end: their own; of an owner the whole team's. */
async function visibleSessions(admin: SignedInAdmin, { store, now }: AdminDesk) {
  const at = now();
  const whose = mayActAs(admin.role, 'owner') ? null : admin.id;
  return store.sessions(whose, at, at - SESSION_IDLE);
}

async function listSessions(
  admin: SignedInAdmin,
  desk: AdminDesk,
): Promise<ResponseOf<typeof adminSessions>> {
  const [sessions, accounts] = await Promise.all([visibleSessions(admin, desk), desk.store.all()]);
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

/** @returns how many sessions ended. @throws {NoSuchSessionError} */
async function revoke(admin: SignedInAdmin, id: string, desk: AdminDesk): Promise<number> {
  const { store, now } = desk;
  if (id === 'others') {
    const record = adminRecord(admin, { action: 'admin.sessions-revoked', at: now() });
    return store.endSessions({ adminId: admin.id, but: admin.sessionId }, record);
  }
  const session = (await visibleSessions(admin, desk)).find((one) => one.id === id);
  if (!session) throw new NoSuchSessionError();
  const details = { session: id, adminId: session.adminId };
  const record = adminRecord(admin, { action: 'admin.session-revoked', at: now(), details });
  return store.endSessions({ id }, record);
}

/** The calls by which an admin signs in and out, and minds their own sessions and password. */
export function adminSessionRoutes(
  desk: AdminDesk,
  admit: AdmitAdmin,
  options: AdminSessionOptions,
): readonly ApiRoute[] {
  const { store, now, passwords } = desk;
  const limitLogins = limitCalls(options.loginsPerMinute ?? LOGINS_PER_MINUTE, 'admin-logins');
  let sweptAt = Number.NEGATIVE_INFINITY;
  const sweep = async () => {
    if (now() - sweptAt < SWEEP_EVERY) return;
    sweptAt = now();
    await store.sweepAdmins(sweptAt - ADMIN_RECORDS_KEPT);
  };

  return [
    {
      method: adminLogin.method,
      path: adminLogin.path,
      handle: limited(limitLogins, async (request, response) => {
        const typed = readBody(adminLogin.body, request.body);
        await sweep();
        response.json(await signIn(typed, request, { ...desk, factors: options.factors }));
      }),
    },
    adminRoute(adminLogout, admit, async (admin, _request, response) => {
      const details = { session: admin.sessionId };
      const record = adminRecord(admin, { action: 'admin.signed-out', at: now(), details });
      await store.endSessions({ id: admin.sessionId }, record);
      response.json({ success: true });
    }),
    adminRoute(adminSession, admit, async (admin, _request, response) => {
      response.json(await whoIs(admin, desk));
    }),
    adminRoute(adminSessions, admit, async (admin, _request, response) => {
      response.json(await listSessions(admin, desk));
    }),
    adminRoute(
      revokeAdminSession,
      admit,
      async (admin, request, response) => {
        const { id } = readBody(revokeAdminSession.body, request.body);
        response.json({ success: true, ended: await revoke(admin, id, desk) });
      },
      options.limit,
    ),
    adminRoute(
      changeOwnPassword,
      admit,
      async (admin, request, response) => {
        const { password, newPassword } = readBody(changeOwnPassword.body, request.body);
        await provePassword(admin, password, request, desk);
        requireStrength(newPassword, admin.username);
        const change = {
          passwordHash: await passwords.hash(newPassword),
          keepSession: admin.sessionId,
          removeTotp: false,
        };
        const record = adminRecord(admin, { action: 'admin.password-changed', at: now() });
        if (!(await store.setPassword(admin.id, change, record))) throw new NotSignedInError();
        response.json({ success: true });
      },
      options.limit,
    ),
  ];
}
