// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { CHILD_ENV, programFile } from '../../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { ApiError } from '../errors.ts';
import { auditRecords } from '../testing/test-files.ts';
import { PasswordHasher } from './passwords.ts';
import { readPassword } from './read-password.ts';
import { PASSWORD } from './testing/team.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function run(args: readonly string[], stdinText = '') {
  const child = spawn(process.execPath, [programFile('api/admin/command.ts'), ...args], {
    cwd: folder,
    env: { ...CHILD_ENV, DATA_DIR: folder },
  });
  child.stdin.end(stdinText);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, output, errors };
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

describe('npm run admin', () => {
  it('creates an admin with a password from standard input, lists the admin and resets the password', async () => {
    const created = await run(['create', '--username', 'Ada', '--role', 'reviewer'], `${PASSWORD}\nmore\n`);
    expect(created).toEqual({ code: 0, output: expect.stringContaining('reviewer'), errors: '' });
    expect((await run(['list'])).output).toMatch(
      /^Ada {2}reviewer {2}active {2}password only {2}since \d{4}/,
    );
    expect((await run(['reset-password', '--username', 'ADA'], 'eight noisy geese')).code).toBe(0);
    const hash = await withStore(async ({ admins }) => (await admins.byName('ada'))?.passwordHash ?? null);
    const passwords = new PasswordHasher();
    expect(await passwords.isCorrect(hash, 'eight noisy geese')).toBe(true);
    expect(await passwords.isCorrect(hash, PASSWORD)).toBe(false);
    expect(auditRecords(folder).map(({ actor, action }) => [actor, action])).toEqual([
      ['operator', 'admin.added'],
      ['operator', 'admin.password-reset'],
    ]);
  });

  it.each([
    ['a weak password', ['create', '--username', 'Ada'], 'qwerty', new ApiError('weak-password').message],
    [
      'a reserved name',
      ['create', '--username', 'admin'],
      PASSWORD,
      new ApiError('username-reserved').message,
    ],
    ['a password as an argument', ['create', '--username', 'Ada', '--password', 'x'], '', "'--password'"],
    ['no command', [], '', 'Usage: npm run admin'],
  ])('fails with a message and changes nothing, given %s', async (_case, args, stdinText, message) => {
    const { code, errors } = await run(args, stdinText);
    expect([code, errors]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    expect(await withStore(({ admins }) => admins.hasAdmins())).toBe(false);
  });

  it('does not start while the portal has the store open', async () => {
    await withStore(async () => {
      expect((await run(['list'])).code).toBe(EXIT.tryAgain);
    });
  });
});

it('an empty standard input is rejected as a missing password', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: false });
  input.end();
  await expect(readPassword(input, new PassThrough())).rejects.toMatchObject({
    message: expect.stringContaining('No password'),
    exitCode: EXIT.usage,
  });
});

describe('a password at a terminal', () => {
  async function typePassword(...lines: readonly string[]) {
    const [input, output] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
    const writtenChunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => {
      writtenChunks.push(chunk);
      if (chunk.toString().endsWith(': ')) input.write(`${lines[writtenChunks.length === 1 ? 0 : 1]}\r`);
    });
    const password = readPassword(input, output);
    return { password: await password.catch((error: unknown) => error), screenText: writtenChunks.join('') };
  }

  it('is typed twice and not shown', async () => {
    const { password, screenText } = await typePassword(PASSWORD, PASSWORD);
    expect(password).toBe(PASSWORD);
    expect(screenText).not.toContain(PASSWORD);
    expect(screenText.split('\n')).toHaveLength(3);
  });

  it('is rejected if the two entries differ', async () => {
    expect((await typePassword(PASSWORD, 'another')).password).toBeInstanceOf(StartError);
  });
});
