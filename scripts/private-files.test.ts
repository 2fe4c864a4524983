// @module-tag slow
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CONTACT_BODY } from '../api/applications/testing/sample-forms.ts';
import { sendForm } from '../api/testing/portal-client.ts';
import { submitContactMessage } from '../data/contract/submissions.ts';
import { API_PROGRAM, programFile } from '../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../data/store/open-stores.ts';
import { STOP_TIMEOUT_MS, stopChild } from './supervisor.ts';

const PUBLIC_FOLDER_MODE = 0o755;
const PUBLIC_FILE_MODE = 0o644;

/** Lists the paths in a folder and their mode bits in octal. Omits files that are renamed or removed in the meantime. */
function modesIn(folder: string): readonly (readonly [path: string, mode: string])[] {
  return ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].flatMap((path) => {
    const stats = statSync(join(folder, path), { throwIfNoEntry: false });
    if (!stats) return [];
    return [[stats.isDirectory() ? `${path}/` : path, (stats.mode & 0o777).toString(8)]];
  });
}

it('only the portal’s user can read or list the files in DATA_DIR, including old ones', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await (await openAppStore(join(folder, 'app.db'))).close();
  mkdirSync(join(folder, 'outbox', 'mail'), { recursive: true });
  for (const file of [
    'app.db.before-29990102T030405Z.db',
    'index.db.lock',
    join('outbox', 'mail', 'old.eml'),
  ])
    writeFileSync(join(folder, file), '');
  for (const [path] of modesIn(folder))
    chmodSync(join(folder, path), path.endsWith('/') ? PUBLIC_FOLDER_MODE : PUBLIC_FILE_MODE);

  const before = process.umask(0o022);
  onTestFinished(() => void process.umask(before));
  const env: Record<string, string> = { DATA_DIR: folder, LOG_LEVEL: 'silent', PORT: '0', LEDGER_PORT: '0' };
  const start = async (entry: string, ...args: readonly string[]): Promise<number> => {
    const child = fork(entry, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => stopChild(child, STOP_TIMEOUT_MS));
    const [message] = await once(child, 'message');
    return Number(message.details.port);
  };
  env.LEDGER_PORT = String(await start(programFile('indexer/ledger/main.ts')));
  await start(programFile('indexer/main.ts'));
  const port = await start(API_PROGRAM, '--api-only');
  expect((await sendForm(port, submitContactMessage.path, CONTACT_BODY)).status).toBe(200);

  const names = () => modesIn(folder).map(([path]) => path);
  const writtenFilePatterns = [
    /^app\.db-wal$/,
    /^app\.db\.lock$/,
    /^index\.db-wal$/,
    /^ledger\.db$/,
    /^document\.key$/,
    /^backups\/app-.*db$/,
    /^outbox\/mail\/2.*eml$/,
  ];
  await expect
    .poll(() => writtenFilePatterns.filter((name) => !names().some((path) => name.test(path))))
    .toEqual([]);
  expect(modesIn(folder).filter(([path, mode]) => mode !== (path.endsWith('/') ? '700' : '600'))).toEqual([]);
});
