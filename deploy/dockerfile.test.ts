// @module-tag slow
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { MIGRATION_TIMEOUT_MS } from '../data/runtime/shutdown.ts';
import { PROGRAM_SOURCES, programBundles } from '../scripts/bundles.ts';
import { siteStamp } from '../scripts/site-stamp.ts';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const ignorePatterns = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const isIgnored = (path: string) => ignorePatterns.some((pattern) => matchesGlob(path, pattern));

const finalStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
/** The programs that run in the image: those that `npm start` runs, and those that an operator runs. */
const PROGRAMS = [
  ...Object.values(PROGRAM_SOURCES),
  'scripts/start.ts',
  'scripts/start-api.ts',
  'api/admin/command.ts',
  'api/audit-trail/main.ts',
  'api/store/command.ts',
  'api/backup/backup.ts',
  'api/backup/restore.ts',
];
const BUILT_FOLDERS = ['dist', 'build'];
/** Whether the image gets a path from an earlier stage of its build. This test's folder does not contain such files. */
const isFromEarlierStage = (path: string) =>
  [...BUILT_FOLDERS, 'node_modules'].some((name) => path.split('/')[0] === name);

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
      'backup-key.txt',
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
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('include every file that its programs import, start or read next to their sources', async () => {
    const missingFiles: string[] = [];
    const followUrls: Plugin = {
      name: 'follow-urls',
      transform: {
        filter: { code: 'import.meta.url' },
        handler(code, id) {
          for (const [, path = ''] of code.matchAll(
            /new URL\([`'](\.{1,2}\/[^`'$]+)[^`']*[`'], import\.meta\.url\)/g,
          )) {
            const file = join(dirname(id), path);
            if (file.endsWith('.ts')) this.emitFile({ type: 'chunk', id: file });
            else if (!existsSync(file) && !isFromEarlierStage(relative(folder, file)))
              missingFiles.push(file);
          }
        },
      },
    };
    // The image does not build the site, so it lacks the site builder. `npm start` imports the builder only to build.
    const skipSiteBuilder: Plugin = {
      name: 'skip-site-builder',
      resolveId: (id, _importer, { kind }) =>
        id === './build-site.ts' && kind === 'dynamic-import' ? { id, external: true } : null,
    };
    const graph = await rolldown({
      input: PROGRAMS.map((program) => join(folder, program)),
      platform: 'node',
      external: /^[^./]/,
      plugins: [followUrls, skipSiteBuilder],
      logLevel: 'silent',
    });
    const { output } = await graph.generate();
    await graph.close();
    expect(missingFiles).toEqual([]);
    // This file is reached through a library, a program and a thread of the API.
    expect(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))).toContain(
      join(folder, 'api/conversation/read-mail-thread.ts'),
    );
  });

  it('are all that its programs need to start, without a program from PATH', {
    timeout: 900_000,
  }, async () => {
    // `npm test` has built the site before. Otherwise, building it takes minutes on a busy machine.
    if (!(await siteStamp()).isBuilt) execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'pipe' });
    const { bundles } = await programBundles();
    for (const bundle of bundles)
      cpSync(bundle.folder, join(folder, relative('.', bundle.folder)), { recursive: true });
    for (const path of ['node_modules', 'dist']) symlinkSync(resolve(path), join(folder, path));
    const dataDir = mkdtempSync(join(tmpdir(), 'image-data-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));

    const start = (command: string) => {
      const child = spawn(process.execPath, command.split(' '), {
        cwd: folder,
        env: {
          ...{ PATH: '', NODE_ENV: 'production', CARD_ISSUER: 'sandbox', DATA_DIR: dataDir },
          ...{ PORT: '0', LEDGER_PORT: '0', LEDGER_ACTORS: 'off', DISK_RESERVE_MB: '0' },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const program = { child, output: '', ended: once(child, 'close') };
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          program.output += text;
        });
      }
      return program;
    };
    const portal = start('scripts/start.ts');
    await vi.waitUntil(() => portal.output.includes('Ready in') || portal.child.exitCode !== null, {
      timeout: 120_000,
    });
    portal.child.kill('SIGTERM');
    expect(await portal.ended, portal.output).toEqual([EXIT.ok, null]);
    // Not `indexer/main.ts`, because the portal above has run it.
    for (const [command, code] of [
      ['scripts/start-api.ts --unknown', EXIT.usage],
      ['api/admin/command.ts list', EXIT.ok],
      ['api/audit-trail/main.ts', EXIT.ok],
      ['api/backup/backup.ts', EXIT.ok],
      ['api/backup/restore.ts latest', EXIT.ok],
      ['api/store/command.ts --help', EXIT.ok],
    ] as const) {
      const program = start(command);
      expect(await program.ended, `${command}: ${program.output}`).toEqual([code, null]);
    }
  });
});
