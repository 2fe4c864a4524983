// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { MIGRATION_TIMEOUT_MS } from '../data/runtime/shutdown.ts';
import { CHILD_ENV } from '../data/runtime/testing/child-programs.ts';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const ignorePatterns = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const isIgnored = (path: string) => ignorePatterns.some((pattern) => matchesGlob(path, pattern));

const finalStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
const BUILT_FOLDERS = ['dist', 'build'];

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('runs as a numeric non-root user, has a health check that waits for migrations, and stops on SIGTERM', () => {
    expect(finalStage).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    const [, hours] = /^HEALTHCHECK .*--start-period=(\d+)h/m.exec(finalStage) ?? [];
    expect(Number(hours) * 3_600_000).toBe(MIGRATION_TIMEOUT_MS);
    expect(finalStage).toMatch(/^STOPSIGNAL SIGTERM$/m);
  });

  it('keeps secrets, installed packages and build output out of the build context', () => {
    const paths = [
      '.env',
      'portal.env',
      'api/secrets.env',
      'privkey.pem',
      '.git',
      'node_modules',
      'site/node_modules',
      'dist',
      'build',
      'release',
      'data/var',
    ];
    expect(paths.filter((path) => !isIgnored(path))).toEqual([]);
  });
});

describe('the files of the image', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'image-'));
    const copiedPaths = [...finalStage.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(
      ([, sources = '']) => sources.split(' ').map((source) => source.replace('/portal/', '')),
    );
    for (const path of copiedPaths.filter((source) => !BUILT_FOLDERS.includes(source)))
      cpSync(path, join(folder, path), { recursive: true, filter: (source) => !isIgnored(source) });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** If a program could not find one of its files, it would exit with code 1, which is none of these codes. */
  it.each([
    ['scripts/start-api.ts', '--nope', EXIT.usage],
    ['indexer/main.ts', '--nope', EXIT.usage],
    ['indexer/ledger/main.ts', '', EXIT.configuration],
    ['scripts/start.ts', '', EXIT.configuration],
    ['api/admin/command.ts', 'nope', EXIT.usage],
    ['api/store/command.ts', 'nope', EXIT.usage],
    ['api/backup/restore.ts', '', EXIT.configuration],
    ['api/backup/backup.ts', '', EXIT.configuration],
  ])('are all that %s needs', async (program, argument, code) => {
    const env = { ...CHILD_ENV, DATA_DIR: join(folder, 'var'), LEDGER_PORT: 'none', PORT: 'none' };
    const args = argument === '' ? [program] : [program, argument];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await once(child, 'close');
    expect(child.exitCode, stderr).toBe(code);
  });
});
