import { cp, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fillPdfOrigin } from '../api/pages/fill-origin.ts';
import { inlineScriptHashes } from '../api/pages/serve-pages.ts';
import { staticHeaders, staticPolicy } from '../api/security/headers.ts';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import * as PATHS from '../data/contract/paths.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { isAdminPage } from '../site/shell/navigation.ts';
import { precompress } from './built-assets.ts';
import { pathOf } from './built-pages.ts';
import { storedSiteOf, writeWorker } from './site-worker.ts';
import { filesBelow } from './tree-stamp.ts';

const HEADERS_FILE = '_headers';
/** The headers file starts with this line, which marks a folder as a static site. */
const MARKER_LINE = '# A static site, written by `npm run build -- --static`, which replaces this folder.\n';
const WORKER_FILE = 'sw.js';

export interface StaticOrigins {
  readonly site: string;
  readonly api: string;
}

/** Paths of API calls that are open to pages from any origin. `*` matches the rest of a path. */
export const PATHS_OPEN_TO_ALL_ORIGINS = ['/api/*', '/badge/*', '/embed/*', PATHS.eventFeed];

/** Paths that the API serves, and paths of the team's pages, which are available only on the API's origin. */
export const PATHS_SERVED_BY_API = [
  ...PATHS_OPEN_TO_ALL_ORIGINS,
  PATHS.securityTxt,
  '/admin/*',
  '/bot-diagnostics',
  '/new-bot-diagnostics',
];

/**
 * Folders with files that browsers cache for an hour although the file names contain no hash. Browsers revalidate pages, and
 * other files without a hash, on each use.
 */
const CACHED_FOLDERS = ['share', 'icons', 'artwork', 'documents'];
const HASHED_FOLDERS = ['_astro', 'pagefind/fragment', 'pagefind/index', 'pagefind/filter'];

/** The headers by path, in the format of Netlify and Cloudflare Pages. Without a header, these hosts make browsers revalidate. */
function headersFile({ site }: StaticOrigins): string {
  const namesAndValues = staticHeaders(site);
  const securityLines = namesAndValues.flatMap((name, index) =>
    index % 2 === 0 ? [`  ${name}: ${namesAndValues[index + 1]}`] : [],
  );
  const cacheRules = (folders: readonly string[], value: string) =>
    folders.map((folder) => `/${folder}/*\n  cache-control: ${value}`);
  return [
    `${MARKER_LINE}/*\n${securityLines.join('\n')}`,
    ...cacheRules(HASHED_FOLDERS, 'public, max-age=31536000, immutable'),
    ...cacheRules(CACHED_FOLDERS, 'public, max-age=3600'),
    ...[...PATHS.clientFiles, PATHS.actionRules].map((path) => `${path}\n  access-control-allow-origin: *`),
    '',
  ].join('\n');
}

/** The redirects to the API, in the format of Netlify and Cloudflare Pages. */
function redirectsFile({ api }: StaticOrigins): string {
  return PATHS_SERVED_BY_API.map((from) => `${from} ${api}${from.replace('*', ':splat')} 302\n`).join('');
}

const API_PATH_PATTERN = new RegExp(
  `^(?:${PATHS_SERVED_BY_API.map((path) => path.replaceAll('.', '\\.').replace('*', '.*')).join('|')})$`,
);

/** Adds the API's origin and a security policy to a page. @throws {Error} if the page has no place for the policy */
function staticPage(html: string, origins: StaticOrigins): string {
  const linkedHtml = html.replaceAll(/(href|src)="(\/[^"]*)"/g, (link, name, path) =>
    API_PATH_PATTERN.test(path) ? `${name}="${origins.api}${path}"` : link,
  );
  const policy = staticPolicy(inlineScriptHashes([linkedHtml]), origins.api);
  const charsetTag = '<meta charset="utf-8">';
  const htmlWithPolicy = linkedHtml.replace(
    charsetTag,
    `${charsetTag}<meta http-equiv="content-security-policy" content="${policy}"><meta name="api-origin" content="${origins.api}">`,
  );
  if (htmlWithPolicy === linkedHtml)
    throw new Error('A page does not begin with its charset, so it has no place for the policy.');
  return htmlWithPolicy;
}

/** Converts a file of the built site for the static host; null if the static host must not serve the file. */
function staticFile(file: string, bytes: Buffer, origins: StaticOrigins): Buffer | null {
  if (basename(file).startsWith('.') || isAdminPage(pathOf(file))) return null;
  if (file.endsWith('.pdf')) return fillPdfOrigin(bytes, origins.site);
  const isPage = file.endsWith('.html');
  if (!isPage && !bytes.includes(ORIGIN_PLACEHOLDER)) return bytes;
  const text = bytes
    .toString('utf8')
    .replaceAll(`${ORIGIN_PLACEHOLDER}/api/`, `${origins.api}/api/`)
    .replaceAll(ORIGIN_PLACEHOLDER, origins.site);
  return Buffer.from(isPage ? staticPage(text, origins) : text);
}

const isCompressed = (file: string) => /\.(?:br|gz)$/.test(file);

/** @throws {StartError} with exit code 64 if the folder contains something other than a static site */
async function assertReplaceable(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  const headers = await readFile(join(folder, HEADERS_FILE), 'utf8').catch(() => '');
  if (headers.startsWith(MARKER_LINE)) return;
  throw new StartError(
    `${folder} is not empty and does not contain a static site. Choose another folder with --out.`,
    EXIT.usage,
  );
}

async function fillFolder(builtFolder: string, folder: string, origins: StaticOrigins): Promise<void> {
  const files = (await filesBelow(builtFolder)).map((path) => relative(builtFolder, path));
  const unchanged: string[] = [];
  const write = async (file: string, bytes: Buffer) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), bytes);
  };
  for (const file of files.filter((one) => !isCompressed(one))) {
    const bytes = await readFile(join(builtFolder, file));
    const staticBytes = staticFile(file, bytes, origins);
    if (staticBytes === null) continue;
    await write(file, staticBytes);
    if (staticBytes === bytes) unchanged.push(file);
  }
  await writeWorker(await storedSiteOf(folder), folder);
  const filesWithReusableCompression = new Set(unchanged.filter((file) => file !== WORKER_FILE));
  for (const file of files.filter(isCompressed)) {
    if (filesWithReusableCompression.has(file.slice(0, -'.br'.length)))
      await cp(join(builtFolder, file), join(folder, file));
  }
  await precompress(folder);
  await writeFile(join(folder, '_redirects'), redirectsFile(origins));
}

/**
 * Writes a version of the built site for a static host, with a service worker of its own. The new site is first written to a
 * folder with a name that ends in `.new`. Once complete, it replaces any static site in `folder`.
 * @throws {StartError} with exit code 64 if one of the folders contains something other than a static site
 */
export async function writeStaticSite(
  builtFolder: string,
  folder: string,
  origins: StaticOrigins,
): Promise<void> {
  // If `folder` is a symbolic link, the folder that the link points to is replaced.
  const target = await realpath(folder).catch(() => resolve(folder));
  const [newFolder, oldFolder] = [`${target}.new`, `${target}.old`];
  for (const one of [target, newFolder, oldFolder]) await assertReplaceable(one);
  for (const one of [newFolder, oldFolder]) await rm(one, { recursive: true, force: true });
  await mkdir(newFolder, { recursive: true });
  // This file is written first, so that the next build recognizes the folder if this build is interrupted.
  await writeFile(join(newFolder, HEADERS_FILE), headersFile(origins));
  await fillFolder(builtFolder, newFolder, origins);
  await mkdir(target, { recursive: true });
  await rename(target, oldFolder);
  await rename(newFolder, target);
  await rm(oldFolder, { recursive: true });
}
