import '../../data/runtime/node-version.ts';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDataDir, readConfig } from '../../data/config/read-config.ts';
import { ADMIN_ROLES, isAdminRole } from '../../data/model/admin-roles.ts';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { runMain } from '../../data/runtime/shutdown.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import { ApiError } from '../errors.ts';
import { createAdmin, listAdmins, resetAdmin } from './command-actions.ts';
import { readPassword } from './read-password.ts';

const USAGE = `Usage: npm run admin -- <command> [options]

  create          --username <name> [--role <role>] [--email <address>]   a new admin, an owner unless said otherwise
  reset-password  --username <name> [--remove-totp] [--enable]            a new password; every session ends
  list                                                                    every admin

  --role         ${ADMIN_ROLES.join(', ')}
  --remove-totp  takes the second factor away, for who lost the app and the recovery codes
  --enable       lets an admin sign in again that was shut out

The password is asked for and not shown, or read from standard input: a line of it. Stop the portal first: it alone
writes to app.db while it runs. An owner who is signed in can do all of this on the team screen instead.`;

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
        'remove-totp': { type: 'boolean', default: false },
        enable: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (positionals.length > 1) throw usageError(`"${positionals[1]}" is one word too many.`);
    return { command: positionals[0] ?? '', ...values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

function named(username: string | undefined): string {
  if (username === undefined) throw usageError('--username is missing.');
  return username;
}

/** Opens the store as its only writer. @throws {StartError} with what to do where the portal has it. */
async function openStore() {
  const folder = await prepareDataDir(readConfig().dataDir);
  try {
    return await openAppStore(join(folder, 'app.db'));
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const words = 'Where the portal is running, stop it first, or use the team screen as an owner.';
    throw new StartError(`${error.message}\n${words}`, EXIT.tryAgain, { cause: error });
  }
}

async function main(): Promise<void> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const { command, username, role, email, help, ...how } = readArguments(process.argv.slice(2));
  if (help) return say(USAGE);
  if (!['create', 'reset-password', 'list'].includes(command)) throw usageError('Name one of the commands.');
  if (!isAdminRole(role)) throw usageError(`--role is none of ${ADMIN_ROLES.join(', ')}.`);
  const name = command === 'list' ? '' : named(username);
  const store = await openStore();
  try {
    if (command === 'list') return say(await listAdmins(store));
    const ask = () => readPassword(process.stdin, process.stdout);
    if (command === 'create') say(await createAdmin(store, { username: name, role, email }, ask));
    else
      say(
        await resetAdmin(store, { username: name, removeTotp: how['remove-totp'], enable: how.enable }, ask),
      );
  } catch (error) {
    // What the API would refuse in words is refused here in the same ones.
    if (error instanceof ApiError) throw new StartError(error.message, EXIT.usage, { cause: error });
    throw error;
  } finally {
    await store.close();
  }
}

await runMain('admin', main);
