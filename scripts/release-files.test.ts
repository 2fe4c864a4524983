import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FILES, FOLDERS, isReleased, isUsed, writeArchive } from './release-files.ts';

it('a release contains no tests, and none of an operator’s settings or keys', () => {
  const releasedFiles = ['deploy/compose/compose.yaml', 'docs/deploy.md', 'api/main.ts'];
  const excludedFiles = [
    'deploy/compose/portal.env',
    'deploy/kubernetes/secrets.env',
    'deploy/.env',
    'deploy/privkey.pem',
    'deploy/compose/backup-key.txt',
    'api/x.test.ts',
    'api/testing/x.ts',
  ];
  expect([...releasedFiles, ...excludedFiles].filter(isReleased)).toEqual(releasedFiles);
});

it('a release has every file that its programs import', () => {
  const sources = globSync([...FOLDERS.map((folder) => `${folder}/**/*.ts`), ...FILES]).filter(isReleased);
  const released = new Set(sources);
  const missing = sources
    // Leaves out the email previews, which are used only in development, and `prepare-build`, which imports the builders only
    // where they are installed.
    .filter((file) => file.endsWith('.ts') && !/^scripts\/prepare-build|\/mail\/preview\//.test(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)]
        .map(([, path = '']) => join(dirname(file), path))
        .filter((path) => !released.has(path)),
    );
  expect(sources.length).toBeGreaterThan(300);
  expect(missing).toEqual([]);
});

it('a release includes only the licenses of its packages and the package files that its programs load', () => {
  const native = (platform: string) => `node_modules/better-sqlite3/prebuilds/${platform}.node`;
  const releasedFiles = [
    'node_modules/base-x/LICENSE.md',
    'node_modules/one/licence.markdown',
    'node_modules/one/NOTICE.md',
    'node_modules/one/COPYING',
    'node_modules/one/index.js',
    native(`${process.platform}-${process.arch}`),
  ];
  const excludedFiles = [
    'node_modules/one/README.md',
    'node_modules/license-list/README.md',
    'node_modules/one/index.d.ts',
    'node_modules/one/index.js.map',
    native('aix-ppc64'),
  ];
  expect([...releasedFiles, ...excludedFiles].filter(isUsed)).toEqual(releasedFiles);
});

it('the same files give the same archive, even if their modes, times or write order differ', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'archives-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const archives = await Promise.all(
    [
      { name: 'one', files: ['a.ts', 'b.ts'], mode: 0o600, at: 1_700_000_000 },
      { name: 'other', files: ['b.ts', 'a.ts'], mode: 0o666, at: 1_800_000_000 },
    ].map(async ({ name, files, mode, at }) => {
      const root = join(folder, name);
      await mkdir(root);
      for (const file of files) {
        await writeFile(join(root, file), `// ${file}`);
        await chmod(join(root, file), mode);
        await utimes(join(root, file), at, at);
      }
      const archive = join(folder, `${name}.tar.gz`);
      await writeArchive(archive, root, ['a.ts', 'b.ts'], { 'deep/sums': 'sums' }, 1_750_000_000);
      return readFile(archive);
    }),
  );
  expect(archives[0]?.equals(archives[1] ?? Buffer.of())).toBe(true);
});
