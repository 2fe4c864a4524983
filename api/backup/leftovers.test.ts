import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { backupName, keptFilePath } from './backups.ts';
import { leftoversIn, sweepLeftovers } from './leftovers.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 0, 31);

let dataDir: string;
let backupFolder: string;
beforeEach(() => {
  dataDir = temporaryFolder();
  backupFolder = join(dataDir, 'backups');
  mkdirSync(backupFolder);
});

function write(path: string, ageMs = 0): string {
  writeFileSync(path, 'Zoe Quill');
  utimesSync(path, (NOW - ageMs) / 1_000, (NOW - ageMs) / 1_000);
  return path;
}
const fileNames = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).toSorted();

it('files of an interrupted backup or restore are deleted after a day, replaced files after 14 days', () => {
  const partial = join(backupFolder, `${backupName(NOW)}.partial`);
  write(partial, HOUR_MS);
  write(join(backupFolder, `${backupName(NOW - DAY_MS)}.partial`), DAY_MS);
  write(join(backupFolder, `${backupName(NOW - DAY_MS)}.partial-journal`), DAY_MS);
  write(join(dataDir, 'app.db.restored.partial'), 2 * DAY_MS);
  const file = join(dataDir, 'app.db');
  const recent = write(keptFilePath(file, 'lost', NOW - 13 * DAY_MS));
  // Files that belong to `app.db` are moved together with it, and must be deleted together with it.
  for (const part of ['', '-journal', '-wal', '-shm', '.tag'])
    write(`${keptFilePath(file, 'before', NOW - 14 * DAY_MS)}${part}`);
  const kept = [
    file,
    join(dataDir, 'app.db-wal'),
    join(backupFolder, backupName(NOW - 99 * DAY_MS)),
    join(dataDir, 'notes.partial'),
  ];
  for (const path of kept) write(path, 99 * DAY_MS);
  expect(sweepLeftovers(dataDir, backupFolder, NOW)).toHaveLength(8);
  expect(fileNames()).toEqual(
    [partial, recent, ...kept, backupFolder].map((path) => path.slice(dataDir.length + 1)).toSorted(),
  );
  expect(leftoversIn(dataDir, backupFolder).map(({ name, deleteAt }) => [name, deleteAt])).toEqual([
    [recent.slice(dataDir.length + 1), NOW + DAY_MS],
    [partial.slice(backupFolder.length + 1), NOW - HOUR_MS + DAY_MS],
  ]);
});

it('a missing backup folder has no files to delete', () => {
  expect(sweepLeftovers(dataDir, join(dataDir, 'none'), NOW)).toEqual([]);
});

it('a backup folder that cannot be read does not hide the other copies', () => {
  const kept = write(keptFilePath(join(dataDir, 'app.db'), 'before', NOW));
  const unreadable = join(write(join(dataDir, 'file')), 'backups');
  expect(leftoversIn(dataDir, unreadable).map(({ path }) => path)).toEqual([kept]);
});
