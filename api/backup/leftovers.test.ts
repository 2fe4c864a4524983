import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../data/store/testing/temporary-folder.ts';
import { backupName, keptFile } from './backups.ts';
import { leftoversIn, sweepLeftovers } from './leftovers.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 0, 31);

let dataDir: string;
let backups: string;
beforeEach(() => {
  dataDir = temporaryFolder();
  backups = join(dataDir, 'backups');
  mkdirSync(backups);
});

function write(path: string, age = 0): string {
  writeFileSync(path, 'Zoe Quill');
  utimesSync(path, (NOW - age) / 1_000, (NOW - age) / 1_000);
  return path;
}
const names = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).toSorted();

it('files of an interrupted backup or restore are deleted after a day, replaced files after 14 days', () => {
  const partial = join(backups, `${backupName(NOW)}.partial`);
  write(partial, HOUR_MS);
  write(join(backups, `${backupName(NOW - DAY_MS)}.partial`), DAY_MS);
  write(join(backups, `${backupName(NOW - DAY_MS)}.partial-journal`), DAY_MS);
  write(join(dataDir, 'app.db.restored.partial'), 2 * DAY_MS);
  const file = join(dataDir, 'app.db');
  const recent = write(keptFile(file, 'lost', NOW - 13 * DAY_MS));
  // A damaged file is moved with its companion files.
  for (const part of ['', '-wal', '-shm', '.tag'])
    write(`${keptFile(file, 'before', NOW - 14 * DAY_MS)}${part}`);
  const kept = [
    file,
    join(dataDir, 'app.db-wal'),
    join(backups, backupName(NOW - 99 * DAY_MS)),
    join(dataDir, 'notes.partial'),
  ];
  for (const path of kept) write(path, 99 * DAY_MS);
  expect(sweepLeftovers(dataDir, backups, NOW)).toHaveLength(7);
  expect(names()).toEqual(
    [partial, recent, ...kept, backups].map((path) => path.slice(dataDir.length + 1)).toSorted(),
  );
  expect(leftoversIn(dataDir, backups).map(({ name, deletedAt }) => [name, deletedAt])).toEqual([
    [recent.slice(dataDir.length + 1), NOW + DAY_MS],
    [partial.slice(backups.length + 1), NOW - HOUR_MS + DAY_MS],
  ]);
});

it('a missing backup folder has no files to delete', () => {
  expect(sweepLeftovers(dataDir, join(dataDir, 'none'), NOW)).toEqual([]);
});
