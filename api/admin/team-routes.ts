import { randomUUID } from 'node:crypto';
import {
  addToTeam,
  changeRole,
  disableAdmin,
  enableAdmin,
  resetPassword,
  team,
} from '../../data/contract/admin-team.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { TeamChange } from '../../data/store/admin-port.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import { ApiError } from '../errors.ts';
import type { ApiRoute } from '../known-calls.ts';
import { adminRecord } from './admin-audit.ts';
import { type AdminContext, SESSION_IDLE } from './admin-context.ts';
import { type AdmitAdmin, adminCall, type SignedInAdmin } from './admit-admin.ts';
import { provePassword } from './own-password.ts';
import { requireNewCredentials, requireStrength } from './passwords.ts';

const iso = (at: number | null | undefined) =>
  at === null || at === undefined ? null : new Date(at).toISOString();

async function listTeam(
  admin: SignedInAdmin,
  { store, now }: AdminContext,
): Promise<ResponseOf<typeof team>> {
  const at = now();
  const [accounts, sessions] = await Promise.all([store.all(), store.sessions(null, at, at - SESSION_IDLE)]);
  return {
    team: accounts.map(({ id, username, email, role, hasTotp, createdAt, disabledAt }) => ({
      id,
      username,
      email,
      role,
      isSelf: id === admin.id,
      hasTotp,
      createdAt: new Date(createdAt).toISOString(),
      disabledAt: iso(disabledAt),
      // The latest session comes first.
      lastSeenAt: iso(sessions.find(({ adminId }) => adminId === id)?.lastSeenAt),
    })),
  };
}

/** @throws {ApiError} `no-such-admin`, `last-owner` */
function requireChanged(outcome: TeamChange): { success: true } {
  if (outcome === 'unknown') throw new ApiError('no-such-admin');
  if (outcome === 'last-owner') throw new ApiError('last-owner');
  return { success: true };
}

/** The calls that manage the team. */
export function teamRoutes(context: AdminContext, admit: AdmitAdmin): readonly ApiRoute[] {
  const { store, passwords, now } = context;
  const recordOf = (admin: SignedInAdmin, action: string, details: AuditRecord['details']) =>
    adminRecord(admin, { action, at: now(), details });
  const changes = { admit, limit: 'admin-changes' } as const;
  /** Asks for the admin's own password, because a session left open must not be enough to change rights. */
  const prove = (admin: SignedInAdmin, password: string) =>
    provePassword(admin, password, context, async () => true);

  return [
    adminCall(team, { admit }, (admin) => listTeam(admin, context)),
    adminCall(addToTeam, changes, async (admin, body) => {
      const { username, password, email = null, role, ownPassword } = body;
      await prove(admin, ownPassword);
      await requireNewCredentials(username, password);
      const id: string = randomUUID();
      const passwordHash = await passwords.hash(password);
      const added = { id, username, email, role, passwordHash, createdAt: now(), addedBy: admin.id };
      const outcome = await store.add(added, recordOf(admin, 'admin.added', { adminId: id, role }));
      if (outcome === 'name-taken') throw new ApiError('username-taken');
      return { success: true, id };
    }),
    adminCall(changeRole, changes, async (admin, { id, role, ownPassword }) => {
      await prove(admin, ownPassword);
      const record = recordOf(admin, 'admin.role-changed', { adminId: id, role });
      return requireChanged(await store.changeRole(id, role, record));
    }),
    adminCall(disableAdmin, changes, async (admin, { id }) =>
      requireChanged(await store.disable(id, recordOf(admin, 'admin.disabled', { adminId: id }))),
    ),
    adminCall(enableAdmin, changes, async (admin, { id }) =>
      requireChanged(await store.enable(id, recordOf(admin, 'admin.enabled', { adminId: id }))),
    ),
    adminCall(resetPassword, changes, async (admin, body) => {
      const { id, newPassword, removeTotp = false, ownPassword } = body;
      if (id === admin.id) throw new ApiError('own-password');
      await prove(admin, ownPassword);
      const account = await store.byId(id);
      if (!account) throw new ApiError('no-such-admin');
      await requireStrength(newPassword, account.username);
      const change = { passwordHash: await passwords.hash(newPassword), keep: null, removeTotp };
      const record = recordOf(admin, 'admin.password-reset', { adminId: id, removeTotp });
      if (!(await store.setPassword(id, change, record))) throw new ApiError('no-such-admin');
      return { success: true };
    }),
  ];
}
