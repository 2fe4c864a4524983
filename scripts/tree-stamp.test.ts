import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { treeStamp } from './tree-stamp.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stamp-'));
  await writeFile(join(folder, 'a'), 'text');
});
afterEach(() => rm(folder, { recursive: true }));

it('the stamp of a tree does not change with file times', async () => {
  const before = await treeStamp([folder]);
  await utimes(join(folder, 'a'), 0, 0);
  expect(await treeStamp([folder])).toBe(before);
});

it('the stamp of a tree changes with a file’s content or name, and with a new file', async () => {
  const stamps = new Set([await treeStamp([folder])]);
  await writeFile(join(folder, 'a'), 'other');
  stamps.add(await treeStamp([folder]));
  await rename(join(folder, 'a'), join(folder, 'b'));
  stamps.add(await treeStamp([folder]));
  await writeFile(join(folder, 'c'), '');
  stamps.add(await treeStamp([folder]));
  expect(stamps.size).toBe(4);
});
