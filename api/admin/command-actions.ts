import { randomUUID } from 'node:crypto';
import { addToTeam } from '../../data/contract/admin-team.ts';
import type { AdminRole } from '../../data/model/admin-roles.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { readBody } from '../body.ts';
import { NoSuchAdminError, UsernameTakenError } from './admin-errors.ts';
import { AdminPasswords, requireStrength } from './passwords.ts';
import { accountSubject } from './sign-in-throttle.ts';

/** What an operator does at the shell of the server. Each returns what is said of it. */

type AskPassword = () => Promise<string>;

function operatorsRecord(action: string, details: AuditRecord['details']): AuditRecord {
  return { id: randomUUID(), at: Date.now(), actor: 'operator', action, details };
}

/** @throws {InvalidBodyError} {ShortPasswordError} {CommonPasswordError} {UsernameTakenError} */
export async function createAdmin(
  { admins }: AppStore,
  who: { readonly username: string; readonly role: AdminRole; readonly email: string | undefined },
  ask: AskPassword,
): Promise<string> {
  const typed = { username: who.username, role: who.role, ...(who.email ? { email: who.email } : {}) };
  const {
    username,
    role,
    email = null,
    password,
  } = readBody(addToTeam.body, { ...typed, password: await ask() });
  requireStrength(password, username);
  const id = randomUUID();
  const passwordHash = await new AdminPasswords().hash(password);
  const admin = { id, username, email, role, passwordHash, createdAt: Date.now() };
  const record = operatorsRecord('admin.added', { adminId: id, role });
  if ((await admins.add(admin, record)) === 'name-taken') throw new UsernameTakenError();
  return `${username} may sign in at /admin/login as ${role}.`;
}

/** @throws {NoSuchAdminError} {ShortPasswordError} {CommonPasswordError} */
export async function resetAdmin(
  { admins }: AppStore,
  how: { readonly username: string; readonly removeTotp: boolean; readonly enable: boolean },
  ask: AskPassword,
): Promise<string> {
  const account = await admins.byName(how.username);
  if (!account) throw new NoSuchAdminError();
  const { id, username } = account;
  const password = await ask();
  requireStrength(password, username);
  const { removeTotp } = how;
  const change = { passwordHash: await new AdminPasswords().hash(password), keepSession: null, removeTotp };
  await admins.setPassword(id, change, operatorsRecord('admin.password-reset', { adminId: id, removeTotp }));
  await admins.forgetFailures(accountSubject(username));
  const isShutOut = account.disabledAt !== null;
  if (isShutOut && how.enable) await admins.enable(id, operatorsRecord('admin.enabled', { adminId: id }));
  const still = isShutOut && !how.enable ? ' The account is shut out: add --enable to let it sign in.' : '';
  return `${username} has a new password, and every session has ended.${still}`;
}

/** One line an admin. */
export async function listAdmins({ admins }: AppStore): Promise<string> {
  const all = await admins.all();
  if (all.length === 0) return 'There is no admin yet.';
  const rows = all.map(({ username, role, hasTotp, disabledAt, createdAt }) => [
    username,
    role,
    disabledAt === null ? 'may sign in' : 'shut out',
    hasTotp ? 'second factor' : 'password alone',
    `since ${new Date(createdAt).toISOString().slice(0, 10)}`,
  ]);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
