import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXIT } from '../data/runtime/exit-codes.ts';
import { prepareBuild } from './prepare-build.ts';
import { siteStamp } from './site-stamp.ts';

it('without the build tools, the portal serves a built site only if it was built from the current sources', async () => {
  const { stamp } = await siteStamp();
  const folder = await mkdtemp(join(tmpdir(), 'server-'));
  const repository = process.cwd();
  onTestFinished(async () => {
    process.chdir(repository);
    await rm(folder, { recursive: true });
  });
  for (const path of [
    'api',
    'content',
    'data',
    'indexer',
    'scripts',
    'site',
    'astro.config.mjs',
    'package.json',
    'package-lock.json',
  ])
    await symlink(resolve(path), join(folder, path));
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist/index.html'), '');
  await writeFile(join(folder, 'dist/.build-stamp'), 'of an earlier version');
  process.chdir(folder);

  const { signal } = new AbortController();
  await expect(prepareBuild(signal)).rejects.toMatchObject({ exitCode: EXIT.tryAgain });
  await writeFile(join(folder, 'dist/.build-stamp'), stamp);
  expect(await prepareBuild(signal)).toMatchObject({ programs: { api: 'api/main.ts' }, isSiteNew: false });
});
