import '../../data/runtime/node-version.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { adminSetup } from '../../data/contract/admin-session.ts';
import { ADMIN_ROLES, type AdminRole, isAdminRole } from '../../data/model/admin-rules.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import type { AuditRecord } from '../../data/store/audit-port.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { ApiError } from '../errors.ts';
import { readBody } from '../request-input.ts';
import { storeOrExit } from '../store-or-exit.ts';
import { PasswordHasher, requireAllowedCredentials, requireStrength } from './passwords.ts';
import { readPassword } from './read-password.ts';

const askPassword = () => readPassword(process.stdin, process.stdout);

function operatorAuditRecord(action: string, details: AuditRecord['details']): AuditRecord {
  return { id: randomUUID(), at: Date.now(), actor: 'operator', action, details };
}

/** @returns the message to print @throws {ApiError} `invalid-body`, `username-reserved`, `weak-password`, `username-taken` */
async function createAdmin(
  { admins }: AppStore,
  options: { readonly username: string; readonly role: AdminRole; readonly email: string | undefined },
): Promise<string> {
  const { role, ...credentials } = options;
  const body = readBody(adminSetup.body, { ...credentials, password: await askPassword() });
  const { username, email = null, password } = body;
  await requireAllowedCredentials(username, password);
  const id = randomUUID();
  const passwordHash = await new PasswordHasher().hash(password);
  const admin = { id, username, email, role, passwordHash, createdAt: Date.now(), addedBy: null };
  const record = operatorAuditRecord('admin.added', { adminId: id, role });
  if ((await admins.add(admin, record)) === 'name-taken') throw new ApiError('username-taken');
  return `${username} can sign in at /admin/login as ${role}.`;
}

/** @returns the message to print @throws {ApiError} `no-such-admin`, `weak-password` */
async function resetAdmin(
  { admins }: AppStore,
  options: { readonly username: string; readonly removeSecondFactors: boolean; readonly enable: boolean },
): Promise<string> {
  const account = await admins.byName(options.username);
  if (!account) throw new ApiError('no-such-admin');
  const { id, username } = account;
  const password = await askPassword();
  await requireStrength(password, username);
  const { removeSecondFactors } = options;
  const change = { passwordHash: await new PasswordHasher().hash(password), keep: null, removeSecondFactors };
  await admins.setPassword(
    id,
    change,
    operatorAuditRecord('admin.password-reset', { adminId: id, removeSecondFactors }),
  );
  const isDisabled = account.disabledAt !== null;
  if (isDisabled && options.enable)
    await admins.enable(id, operatorAuditRecord('admin.enabled', { adminId: id }));
  const note =
    isDisabled && !options.enable ? ' The account is deactivated: add --enable to reactivate it.' : '';
  return `${username} has a new password, and all sessions of the account have ended.${note}`;
}

async function listAdmins({ admins }: AppStore): Promise<string> {
  const all = await admins.all();
  if (all.length === 0) return 'No admin exists yet.';
  const rows = all.map(({ username, role, hasTotp, passkeys, disabledAt, createdAt }) => [
    username,
    role,
    disabledAt === null ? 'active' : 'deactivated',
    hasTotp || passkeys > 0 ? 'two-factor' : 'password only',
    `since ${new Date(createdAt).toISOString().slice(0, 10)}`,
  ]);
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widthOf(column))).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

const USAGE = `Usage: npm run admin -- <command> [options]

  create          --username <name> [--role <role>] [--email <address>]    adds an admin, by default an owner
  reset-password  --username <name> [--remove-second-factors] [--enable]   sets a new password and ends every session
  list                                                                     lists every admin

  --role                   ${ADMIN_ROLES.join(', ')}
  --remove-second-factors  removes the admin's authenticator app, recovery codes and passkeys
  --enable                 reactivates a deactivated admin

The command prompts for the password, or reads one line from standard input. Stop the portal first: while
it runs, only the portal writes to app.db. If the data is in PostgreSQL, the portal can keep running. A signed-in owner
can do all of this on the team screen.`;

function usageError(message: string): StartError {
  return new StartError(`${message}\n\n${USAGE}`, EXIT.usage);
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        username: { type: 'string' },
        role: { type: 'string', default: 'owner' },
        email: { type: 'string' },
        'remove-second-factors': { type: 'boolean', default: false },
        enable: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (positionals.length > 1) throw usageError(`"${positionals[1]}" is an unexpected argument.`);
    return { command: positionals[0] ?? '', ...values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

function requireUsername(username: string | undefined): string {
  if (username === undefined) throw usageError('--username is missing.');
  return username;
}

/** @throws {StartError} if the store is a file and the portal is running */
async function openStore() {
  const { database, dataDir } = readConfig();
  if (database !== null) return storeOrExit(() => openAppStore(database.main));
  const folder = await prepareDataDir(dataDir);
  const remedy = 'If the portal is running, stop it first, or sign in as an owner and use the team screen.';
  return storeOrExit(() => openAppStore(join(folder, 'app.db')), remedy);
}

async function main(): Promise<void> {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const { command, username, role, email, help, ...flags } = readArguments(process.argv.slice(2));
  if (help) return print(USAGE);
  if (!['create', 'reset-password', 'list'].includes(command))
    throw usageError('The command must be create, reset-password or list.');
  if (!isAdminRole(role)) throw usageError(`--role must be one of ${ADMIN_ROLES.join(', ')}.`);
  const name = command === 'list' ? '' : requireUsername(username);
  const store = await openStore();
  try {
    if (command === 'list') return print(await listAdmins(store));
    const { 'remove-second-factors': removeSecondFactors, enable } = flags;
    if (command === 'create') print(await createAdmin(store, { username: name, role, email }));
    else print(await resetAdmin(store, { username: name, removeSecondFactors, enable }));
  } catch (error) {
    // The message of an `ApiError` says what the operator can do, so it is printed.
    if (error instanceof ApiError) throw new StartError(error.message, EXIT.usage, { cause: error });
    throw error;
  } finally {
    await store.close();
  }
}

await runMain('admin', main);
