import { cp, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fillPdfOrigin } from '../api/pages/fill-origin.ts';
import { inlineScriptHashes } from '../api/pages/serve-pages.ts';
import { staticHeaders, staticPolicy } from '../api/security/headers.ts';
import { BUILT_ORIGIN } from '../data/contract/built-origin.ts';
import * as PATHS from '../data/contract/paths.ts';
import { EXIT, StartError } from '../data/runtime/exit-codes.ts';
import { isAdminPage } from '../site/shell/navigation.ts';
import { precompress } from './built-assets.ts';
import { pathOf } from './built-pages.ts';
import { siteToStore, writeWorker } from './site-worker.ts';
import { filesBelow } from './tree-stamp.ts';

const HEADERS_FILE = '_headers';
/** The file starts with this line, which marks a folder as a static site. */
const MARKER_LINE = '# A static site, written by `npm run build -- --static`, which replaces this folder.\n';
const WORKER_FILE = 'sw.js';

/** The public origins of the site on the static host, and of the API. */
export interface StaticOrigins {
  readonly site: string;
  readonly api: string;
}

/** Paths that the API serves to pages of all origins. `*` matches the rest of a path. */
export const PUBLIC_ON_API = ['/api/*', '/badge/*', '/embed/*', PATHS.eventFeed];

/** Paths that the API serves, and the team's pages, which are only available on the API's origin. */
export const ON_API = [
  ...PUBLIC_ON_API,
  PATHS.securityTxt,
  '/admin/*',
  '/bot-diagnostics',
  '/new-bot-diagnostics',
];

/**
 * Folders with files that browsers keep for a while although their names have no hash. Browsers revalidate pages and other
 * files on each use.
 */
const CACHED_FOLDERS = ['share', 'icons', 'artwork', 'documents'];
/** Files with a hash in their name. */
const HASHED_FOLDERS = ['_astro', 'pagefind/fragment', 'pagefind/index', 'pagefind/filter'];

/** The headers by path, in the format of Netlify and Cloudflare Pages. By default, these hosts make browsers revalidate. */
function headersFile({ site }: StaticOrigins): string {
  const list = staticHeaders(site);
  const security = list.flatMap((name, index) => (index % 2 === 0 ? [`  ${name}: ${list[index + 1]}`] : []));
  const cached = (folders: readonly string[], value: string) =>
    folders.map((folder) => `/${folder}/*\n  cache-control: ${value}`);
  return [
    `${MARKER_LINE}/*\n${security.join('\n')}`,
    ...cached(HASHED_FOLDERS, 'public, max-age=31536000, immutable'),
    ...cached(CACHED_FOLDERS, 'public, max-age=3600'),
    ...[...PATHS.clientFiles, PATHS.actionRules].map((path) => `${path}\n  access-control-allow-origin: *`),
    '',
  ].join('\n');
}

/** The redirects to the API, in the format of Netlify and Cloudflare Pages. */
function redirectsFile({ api }: StaticOrigins): string {
  return ON_API.map((from) => `${from} ${api}${from.replace('*', ':splat')} 302\n`).join('');
}

const isOnApi = new RegExp(
  `^(?:${ON_API.map((path) => path.replaceAll('.', '\\.').replace('*', '.*')).join('|')})$`,
);

/**
 * A page as the static host serves it.
 * @throws {Error} if the page has no place to insert the policy
 */
function staticPage(html: string, origins: StaticOrigins): string {
  const linked = html.replaceAll(/(href|src)="(\/[^"]*)"/g, (link, name, path) =>
    isOnApi.test(path) ? `${name}="${origins.api}${path}"` : link,
  );
  const policy = staticPolicy(inlineScriptHashes([linked]), origins.api);
  const start = '<meta charset="utf-8">';
  const policed = linked.replace(
    start,
    `${start}<meta http-equiv="content-security-policy" content="${policy}"><meta name="api-origin" content="${origins.api}">`,
  );
  if (policed === linked)
    throw new Error('A page does not begin with its charset, so it has no place for the policy.');
  return policed;
}

/** A file of the built site as the static host serves it; null if the static host must not serve it. */
function staticFile(file: string, bytes: Buffer, origins: StaticOrigins): Buffer | null {
  if (basename(file).startsWith('.') || isAdminPage(pathOf(file))) return null;
  if (file.endsWith('.pdf')) return fillPdfOrigin(bytes, origins.site);
  const isPage = file.endsWith('.html');
  if (!isPage && !bytes.includes(BUILT_ORIGIN)) return bytes;
  const text = bytes
    .toString('utf8')
    .replaceAll(`${BUILT_ORIGIN}/api/`, `${origins.api}/api/`)
    .replaceAll(BUILT_ORIGIN, origins.site);
  return Buffer.from(isPage ? staticPage(text, origins) : text);
}

const isCompressed = (file: string) => /\.(?:br|gz)$/.test(file);

/** @throws {StartError} code 64 if the folder contains something other than a static site */
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

async function fillFolder(built: string, folder: string, origins: StaticOrigins): Promise<void> {
  const files = (await filesBelow(built)).map((path) => relative(built, path));
  const unchanged: string[] = [];
  const write = async (file: string, bytes: Buffer) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), bytes);
  };
  for (const file of files.filter((one) => !isCompressed(one))) {
    const bytes = await readFile(join(built, file));
    const written = staticFile(file, bytes, origins);
    if (written === null) continue;
    await write(file, written);
    if (written === bytes) unchanged.push(file);
  }
  await writeWorker(await siteToStore(folder), folder);
  const stillCompressed = new Set(unchanged.filter((file) => file !== WORKER_FILE));
  for (const file of files.filter(isCompressed)) {
    if (stillCompressed.has(file.slice(0, -'.br'.length))) await cp(join(built, file), join(folder, file));
  }
  await precompress(folder);
  await writeFile(join(folder, '_redirects'), redirectsFile(origins));
}

/**
 * Writes the built site as a static host serves it, with its own service worker. The new site is written to `FOLDER.new`, and
 * replaces a static site in `folder` once it is complete.
 * @throws {StartError} code 64 if one of the folders contains something else
 */
export async function writeStaticSite(built: string, folder: string, origins: StaticOrigins): Promise<void> {
  // If the folder is a symbolic link, the folder that it leads to is replaced.
  const target = await realpath(folder).catch(() => resolve(folder));
  const [next, old] = [`${target}.new`, `${target}.old`];
  for (const one of [target, next, old]) await assertReplaceable(one);
  for (const one of [next, old]) await rm(one, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  // Written first. If the build is stopped, the next build recognizes the folder by this file.
  await writeFile(join(next, HEADERS_FILE), headersFile(origins));
  await fillFolder(built, next, origins);
  await mkdir(target, { recursive: true });
  await rename(target, old);
  await rename(next, target);
  await rm(old, { recursive: true });
}
