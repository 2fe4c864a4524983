import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEarlierAssets, writeEarlierAssets } from './earlier-assets.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 20);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earlier-assets-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('assets of earlier builds', () => {
  it('stay beside the new ones with the age they had, for a week', async () => {
    for (const [name, age] of [
      ['old.js', 8],
      ['recent.js', 2],
      ['recent.js.br', 2],
      ['same.js', 1],
    ] as const) {
      const at = new Date(NOW - age * DAY);
      await writeFile(join(folder, name), name);
      await utimes(join(folder, name), at, at);
    }
    const assets = await readEarlierAssets(folder, NOW);
    expect(assets.map(({ name }) => name).toSorted()).toEqual(['recent.js', 'same.js']);

    const next = join(folder, 'next');
    await writeEarlierAssets(assets, next);
    await writeFile(join(next, 'same.js'), 'built anew');
    await writeEarlierAssets(assets, next);
    expect(await readFile(join(next, 'same.js'), 'utf8')).toBe('built anew');
    expect((await stat(join(next, 'recent.js'))).mtimeMs).toBe(NOW - 2 * DAY);
  });

  it('are none before the first build', async () => {
    expect(await readEarlierAssets(join(folder, 'nowhere'), NOW)).toEqual([]);
  });
});
