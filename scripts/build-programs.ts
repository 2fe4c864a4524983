import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import { dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { type ProgramFiles, programBundles } from './bundles.ts';

/** Packages with native code are not bundled. The program loads them from `node_modules`. */
const EXTERNAL_PACKAGES = ['better-sqlite3', 'sharp', '@node-rs/argon2', 'litesvm'];
/** How many builds are kept: the newest, and the one before it, from which a running portal may still load modules. */
const MAX_KEPT_BUILDS = 2;

/** Matches code in `drizzle.ts` that loads a CommonJS module. In a bundle, an `import` of the module is faster. */
const COMMONJS_LOAD = /const (\w+): typeof import\(('[^']+')\) = load\(\2\);/g;

/** Matches the URL of a thread, or of a program that another program starts. */
const PROGRAM_URL = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;

/**
 * Bundles Drizzle, and the threads and programs that a program starts. In the bundle, `import.meta.url` is still the URL of
 * the original source, so that files next to the source are found.
 */
const adaptSources = (folder: string): Plugin => ({
  name: 'adapt',
  transform: {
    filter: { id: /\.ts$/, code: 'import.meta.url' },
    handler(code, id) {
      return code
        .replace(COMMONJS_LOAD, 'import * as $1 from $2;')
        .replaceAll(PROGRAM_URL, (_url, source: string) => {
          const chunk = this.emitFile({ type: 'chunk', id: join(dirname(id), source) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${chunk})`;
        })
        .replaceAll(
          'import.meta.url',
          `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`,
        );
    },
  },
});

const HTTP_MODULE = '\0node-http';
/** `WebSocket` and its events: exports of `node:http` that load Node's HTTP client. */
const CLIENT_EXPORT = /^(?:WebSocket|\w+Event)$/;

/**
 * Leaves out the exports of `node:http` that load Node's HTTP client. Otherwise an import of the module would read all its
 * exports, which takes 40 ms and 4 MiB.
 */
const withoutHttpClient: Plugin = {
  name: 'without-http-client',
  resolveId: {
    filter: { id: /^(?:node:)?http$/ },
    handler: (_id, _importer, { kind }) => (kind === 'require-call' ? null : HTTP_MODULE),
  },
  load: {
    filter: { id: /^\0node-http$/ },
    handler: () => `
      const http = process.getBuiltinModule('node:http');
      export default http;
      export const { ${Object.keys(http).filter((name) => !CLIENT_EXPORT.test(name))} } = http;`,
  },
};

const URL_PACKAGE = '\0whatwg-url';

/**
 * Replaces the package `whatwg-url` with Node's own classes. The package loads `punycode`, and Node prints a warning when
 * that happens outside `node_modules`.
 */
const withNodeUrl: Plugin = {
  name: 'with-node-url',
  resolveId: { filter: { id: /^whatwg-url$/ }, handler: () => URL_PACKAGE },
  load: {
    filter: { id: /^\0whatwg-url$/ },
    handler: () => 'export const { URL, URLSearchParams } = globalThis;',
  },
};

async function dropOlderBuilds(folder: string): Promise<void> {
  const builds = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const older = builds.toSorted((one, other) => other.at - one.at).slice(MAX_KEPT_BUILDS);
  await Promise.all(older.map(({ name }) => rm(join(folder, name), { recursive: true, force: true })));
}

/** Bundles programs into a folder. @param programs each program's source, by the output file's name without extension */
export async function bundlePrograms(
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporaryFolder = await mkdtemp(`${folder}-`);
  const bundle = await rolldown({
    input: programs,
    platform: 'node',
    external: EXTERNAL_PACKAGES,
    plugins: [adaptSources(folder), withoutHttpClient, withNodeUrl],
    // Otherwise Express and React load their larger and slower development variants.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
  });
  try {
    await bundle.write({
      dir: temporaryFolder,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      comments: { legal: false, annotation: false, jsdoc: false },
    });
    // The portal may run as a different user from the one who built it.
    await chmod(temporaryFolder, 0o755);
    // Another process may have finished the same build in the meantime.
    await rename(temporaryFolder, folder).catch(() => rm(temporaryFolder, { recursive: true }));
  } finally {
    await bundle.close();
  }
  await dropOlderBuilds(dirname(folder));
}

/**
 * Bundles the programs whose sources have changed since they were last bundled. With the bundles, the API reads 30 files at
 * startup instead of 850.
 * @returns the files of the bundled programs
 */
export async function buildProgramsIfStale(): Promise<ProgramFiles> {
  const { bundles, files } = await programBundles();
  for (const { folder, programs, isBuilt } of bundles) if (!isBuilt) await bundlePrograms(folder, programs);
  return files;
}
