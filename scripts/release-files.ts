import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { programBundles } from './bundles.ts';
import { filesBelow, isTestOnly } from './tree-stamp.ts';

/**
 * The programs with their documentation, and the built site. `site/` and `content/` are left out, because only a build needs
 * them.
 */
export const FOLDERS = [
  'api',
  'data/{config,contract,model,openapi,runtime,store}',
  'indexer',
  'deploy',
  'docs',
  'dist',
];
export const FILES = [
  'scripts/{setup,complete-lockfile}.mjs',
  'scripts/{start,start-api,prepare-build,bundles,build-programs,tree-stamp,preflight,omitted-packages,supervisor}.ts',
  '{README,CHANGELOG,SECURITY}.md',
  'LICENSE',
  '.env.example',
  '.npmrc',
  'package.json',
  'package-lock.json',
];

/** Node is left out, because it takes 122 MB and is installed wherever a release runs. */
const NODE_PACKAGES = /^node_modules\/node-(?:linux|win)-/;
/** Parts of packages that no program loads: types, source maps, documentation, and sources of native code. */
const UNUSED = /\.(?:map|md|markdown|[cm]?ts|tsbuildinfo)$|^node_modules\/better-sqlite3\/(?:deps|src)\//;
/** Licenses in Markdown, which must stay with their package. */
const LICENSE = /\/[^/]*(?:licen[sc]e|notice|copying)[^/]*\.(?:md|markdown)$/i;
/** Settings and keys that an operator may have put next to the shipped files. */
const PRIVATE = /\.(?:env|pem)$|\/backup-key\.txt$/;
/** The native code of better-sqlite3, such as `linux-x64.node`. */
const PREBUILT = /\/prebuilds\/([^/]+)\.node$/;

const versionByName = z.record(z.string(), z.string()).optional();
const lockedPackage = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  dependencies: versionByName,
  optionalDependencies: versionByName,
});
const lockfile = z.object({ packages: z.record(z.string(), lockedPackage) });
export type LockedPackage = z.infer<typeof lockedPackage>;
/** By path, such as `node_modules/zod`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The installed packages that the programs need, by path, as the lockfile describes them. */
export function productionPackages(): LockedPackages {
  const { packages } = lockfile.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  return Object.fromEntries(
    Object.entries(packages).filter(
      ([path, { dev, devOptional }]) =>
        path !== '' &&
        !dev &&
        !devOptional &&
        !NODE_PACKAGES.test(path) &&
        existsSync(`${path}/package.json`),
    ),
  );
}

export const isReleased = (file: string) => !isTestOnly(file) && !PRIVATE.test(file);

/** Whether a file of an installed package is part of a release for this platform. */
export function isUsed(file: string): boolean {
  const platform = `${process.platform}-${process.arch}`;
  if (UNUSED.test(file) && !LICENSE.test(file)) return false;
  return (PREBUILT.exec(file)?.[1] ?? platform).startsWith(platform);
}

async function filesOf(path: string): Promise<readonly string[]> {
  const nested = `${path}/node_modules/`;
  return (await filesBelow(path)).filter((file) => !file.startsWith(nested) && isUsed(file));
}

/** All files of the working tree that are part of a release for this platform, sorted. */
export async function releaseFiles(packages: LockedPackages): Promise<readonly string[]> {
  const { bundles } = await programBundles();
  if (!bundles.every(({ isBuilt }) => isBuilt)) throw new Error('A program is not bundled.');
  const folders = [...globSync(FOLDERS), ...bundles.map(({ folder }) => relative('.', folder))];
  const files = await Promise.all([...folders.map(filesBelow), ...Object.keys(packages).map(filesOf)]);
  return [...new Set([...globSync(FILES), ...files.flat().filter(isReleased)])].sort();
}

/**
 * Writes a release archive of files below `root` and generated files. The same files always produce the same bytes.
 * @param date the time of all files, in seconds since 1970
 */
export async function writeArchive(
  archive: string,
  root: string,
  files: readonly string[],
  generatedFiles: Readonly<Record<string, string>>,
  date: number,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  try {
    for (const [name, text] of Object.entries(generatedFiles)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const list = join(folder, 'list');
    await writeFile(list, [...files, `--directory=${folder}`, ...Object.keys(generatedFiles)].join('\n'));
    const tar = join(folder, 'tar');
    const args = [
      `--file=${tar}`,
      '--create',
      '--format=ustar',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
      `--mtime=@${date}`,
      `--transform=s,^,${packageJson.name}-${packageJson.version}/,`,
      `--files-from=${list}`,
    ];
    execFileSync('tar', args, { cwd: root });
    await pipeline(createReadStream(tar), createGzip(), createWriteStream(archive));
  } finally {
    await rm(folder, { recursive: true });
  }
}
