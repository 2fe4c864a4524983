// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CONTACT_BODY } from '../api/applications/testing/sample-forms.ts';
import { sendForm } from '../api/testing/portal-client.ts';
import { submitContactMessage } from '../data/contract/submissions.ts';
import { API_PROGRAM, CHILD_ENV, programFile } from '../data/runtime/testing/child-programs.ts';
import { openAppStore } from '../data/store/open-stores.ts';
import { STOP_TIMEOUT_MS, stopChild } from './supervisor.ts';

const PUBLIC_FOLDER_MODE = 0o755;
const PUBLIC_FILE_MODE = 0o644;

/** The name of a message in PostgreSQL's protocol. Only the driver's code contains it, even in a bundle. */
const POSTGRES_MARKER = 'SASLInitialResponse';
/** A name that only OpenTelemetry's code contains. */
const TRACING_MARKER = 'batching_span_processor';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Lists the paths in a folder and their mode bits in octal. Omits files that are renamed or removed in the meantime. */
function modesIn(folder: string): readonly (readonly [path: string, mode: string])[] {
  return ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].flatMap((path) => {
    const stats = statSync(join(folder, path), { throwIfNoEntry: false });
    if (!stats) return [];
    return [[stats.isDirectory() ? `${path}/` : path, (stats.mode & 0o777).toString(8)]];
  });
}

/** The files that a program loaded, according to the coverage report that Node writes when the program ends. */
async function loadedFiles(reports: string): Promise<readonly URL[]> {
  const texts = (await readdir(reports)).map((name) => readFile(join(reports, name), 'utf8'));
  return (await Promise.all(texts))
    .flatMap((text): readonly string[] => JSON.parse(text).result.map(({ url }: { url: string }) => url))
    .filter((url) => url.startsWith('file:'))
    .map((url) => new URL(url));
}

it('only the portal’s user can read or list the files in DATA_DIR, including old ones; no program loads the PostgreSQL driver or OpenTelemetry without their settings', {
  timeout: 180_000,
}, async () => {
  const folder = newFolder();
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
  let ledgerPort = 0;
  const programs: { readonly reports: string; readonly child: ChildProcess }[] = [];
  const start = async (entry: string, ...args: readonly string[]): Promise<number> => {
    const reports = newFolder();
    const child = fork(entry, args, {
      env: {
        ...{ ...CHILD_ENV, NODE_V8_COVERAGE: reports, LOG_LEVEL: 'silent' },
        ...{ DATA_DIR: folder, PORT: '0', LEDGER_PORT: String(ledgerPort), LEDGER_ACTORS: 'off' },
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => stopChild(child, STOP_TIMEOUT_MS));
    programs.push({ reports, child });
    const [message] = await once(child, 'message');
    return Number(message.details.port);
  };
  ledgerPort = await start(programFile('indexer/ledger/main.ts'));
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

  for (const { reports, child } of programs) {
    // Waits without a limit, because a program that is killed writes no report.
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    const loaded = await loadedFiles(reports);
    expect(loaded.some(({ pathname }) => pathname.includes('/better-sqlite3/'))).toBe(true);
    const sources = await Promise.all(loaded.map((file) => readFile(file, 'utf8')));
    for (const mark of [POSTGRES_MARKER, TRACING_MARKER])
      expect(loaded.filter((_, index) => sources[index]?.includes(mark))).toEqual([]);
  }
});
