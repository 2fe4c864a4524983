import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
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
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { adminRecord } from './admin-audit.ts';
import { type AdminDesk, SESSION_IDLE } from './admin-desk.ts';
import { LastOwnerError, NoSuchAdminError, OwnPasswordError, UsernameTakenError } from './admin-errors.ts';
import { adminRoute } from './admin-route.ts';
import { requireStrength } from './passwords.ts';
import { accountSubject } from './sign-in-throttle.ts';
import type { AdmitAdmin, SignedInAdmin } from './signed-in-admin.ts';

const iso = (at: number | null | undefined) =>
  at === null || at === undefined ? null : new Date(at).toISOString();

async function listTeam(admin: SignedInAdmin, { store, now }: AdminDesk): Promise<ResponseOf<typeof team>> {
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
      // The one used last comes first.
      lastSeenAt: iso(sessions.find(({ adminId }) => adminId === id)?.lastSeenAt),
    })),
  };
}

/** @throws {NoSuchAdminError} {LastOwnerError} */
function requireChanged(outcome: TeamChange): void {
  if (outcome === 'unknown') throw new NoSuchAdminError();
  if (outcome === 'last-owner') throw new LastOwnerError();
}

/** The calls by which an owner runs the team. */
export function teamRoutes(desk: AdminDesk, admit: AdmitAdmin, limit: RequestHandler): readonly ApiRoute[] {
  const { store, passwords, now } = desk;
  const recordOf = (
    admin: SignedInAdmin,
    action: string,
    details: Readonly<Record<string, string | boolean>>,
  ) => adminRecord(admin, { action, at: now(), details });

  return [
    adminRoute(team, admit, async (admin, _request, response) => {
      response.json(await listTeam(admin, desk));
    }),
    adminRoute(
      addToTeam,
      admit,
      async (admin, request, response) => {
        const { username, password, email = null, role } = readBody(addToTeam.body, request.body);
        requireStrength(password, username);
        const id = randomUUID();
        const passwordHash = await passwords.hash(password);
        const added = { id, username, email, role, passwordHash, createdAt: now() };
        const outcome = await store.add(added, recordOf(admin, 'admin.added', { adminId: id, role }));
        if (outcome === 'name-taken') throw new UsernameTakenError();
        response.json({ success: true, id });
      },
      limit,
    ),
    adminRoute(
      changeRole,
      admit,
      async (admin, request, response) => {
        const { id, role } = readBody(changeRole.body, request.body);
        const record = recordOf(admin, 'admin.role-changed', { adminId: id, role });
        requireChanged(await store.changeRole(id, role, record));
        response.json({ success: true });
      },
      limit,
    ),
    adminRoute(
      disableAdmin,
      admit,
      async (admin, request, response) => {
        const { id } = readBody(disableAdmin.body, request.body);
        requireChanged(await store.disable(id, recordOf(admin, 'admin.disabled', { adminId: id })));
        response.json({ success: true });
      },
      limit,
    ),
    adminRoute(
      enableAdmin,
      admit,
      async (admin, request, response) => {
        const { id } = readBody(enableAdmin.body, request.body);
        requireChanged(await store.enable(id, recordOf(admin, 'admin.enabled', { adminId: id })));
        response.json({ success: true });
      },
      limit,
    ),
    adminRoute(
      resetPassword,
      admit,
      async (admin, request, response) => {
        const { id, newPassword, removeTotp = false } = readBody(resetPassword.body, request.body);
        // A session left open must not be enough to take an account over.
        if (id === admin.id) throw new OwnPasswordError();
        const account = await store.byId(id);
        if (!account) throw new NoSuchAdminError();
        requireStrength(newPassword, account.username);
        const change = { passwordHash: await passwords.hash(newPassword), keepSession: null, removeTotp };
        const record = recordOf(admin, 'admin.password-reset', { adminId: id, removeTotp });
        if (!(await store.setPassword(id, change, record))) throw new NoSuchAdminError();
        await store.forgetFailures(accountSubject(account.username));
        response.json({ success: true });
      },
      limit,
    ),
  ];
}
