import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../data/runtime/exit-codes.ts';
import { openAppStore } from '../../data/store/sqlite/app-store.ts';
import { storedRows } from '../testing/stored-rows.ts';
import { AdminPasswords } from './passwords.ts';
import { readPassword } from './read-password.ts';
import { PASSWORD } from './testing/team.ts';

const COMMAND = fileURLToPath(new URL('./command.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'admin-command-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], typed = '') {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: folder },
  });
  child.stdin.end(typed);
  const [said, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, said, errors };
}

async function withStore<T>(
  work: (store: Awaited<ReturnType<typeof openAppStore>>) => Promise<T>,
): Promise<T> {
  const store = await openAppStore(join(folder, 'app.db'));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe('npm run admin', { timeout: 60_000 }, () => {
  it('creates an admin with the password of its input, lists it and gives it another password', async () => {
    const created = await run(['create', '--username', 'Ada', '--role', 'reviewer'], `${PASSWORD}\nmore\n`);
    expect(created).toEqual({ code: 0, said: 'Ada may sign in at /admin/login as reviewer.\n', errors: '' });
    expect((await run(['list'])).said).toMatch(
      /^Ada {2}reviewer {2}may sign in {2}password alone {2}since \d{4}/,
    );
    expect((await run(['reset-password', '--username', 'ADA'], 'eight noisy geese')).code).toBe(0);
    const hash = await withStore(async ({ admins }) => (await admins.byName('ada'))?.passwordHash ?? null);
    const passwords = new AdminPasswords();
    expect(await passwords.isRight(hash, 'eight noisy geese')).toBe(true);
    expect(await passwords.isRight(hash, PASSWORD)).toBe(false);
    const audit = (storedRows(folder).get('audit_records') ?? []).map((row) => JSON.parse(row));
    expect(audit.map(({ actor, action }) => [actor, action])).toEqual([
      ['operator', 'admin.added'],
      ['operator', 'admin.password-reset'],
    ]);
  });

  it.each([
    ['a weak password', ['create', '--username', 'Ada'], 'qwerty', 'too easy to guess'],
    ['no password', ['create', '--username', 'Ada'], '', 'No password was given'],
    ['a password as an argument', ['create', '--username', 'Ada', '--password', 'x'], '', "'--password'"],
    ['no command', [], '', 'Usage: npm run admin'],
  ])('refuses %s in words that say what to do, and changes nothing', async (_case, args, typed, words) => {
    const { code, errors } = await run(args, typed);
    expect([code, errors]).toEqual([EXIT.usage, expect.stringContaining(words)]);
    expect(await withStore(({ admins }) => admins.hasAdmins())).toBe(false);
  });

  it('says what to do where the portal is running', async () => {
    await withStore(async () => {
      const { code, errors } = await run(['list']);
      expect(code).toBe(EXIT.tryAgain);
      expect(errors).toContain(
        'Where the portal is running, stop it first, or use the team screen as an owner.',
      );
    });
  });
});

describe('a password at a terminal', () => {
  async function typed(...lines: readonly string[]) {
    const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
    const shown: Buffer[] = [];
    output.on('data', (chunk: Buffer) => {
      shown.push(chunk);
      if (chunk.toString().endsWith(': ')) input.write(`${lines[shown.length === 1 ? 0 : 1]}\r`);
    });
    const password = readPassword(input, output);
    return { password: await password.catch((error: Error) => error.message), shown: shown.join('') };
  }

  it('is typed twice and not shown', async () => {
    const { password, shown } = await typed(PASSWORD, PASSWORD);
    expect(password).toBe(PASSWORD);
    expect(shown).toBe('New password: \nThe same again: \n');
  });

  it('is refused where the two differ', async () => {
    expect((await typed(PASSWORD, 'another')).password).toContain('Passwords do not match');
  });
});
