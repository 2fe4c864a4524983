import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { EXIT, StartError } from '../../data/runtime/exit-codes.ts';
import { strongTag } from '../etag.ts';
import type { Encoding } from './accept-encoding.ts';
import { contentType } from './content-types.ts';

/** One form of a file: as it is, or compressed by the build. */
export interface FileForm {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface SiteFile {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly plain: FileForm;
  readonly encoded: ReadonlyMap<Encoding, FileForm>;
}

/**
 * The built site in memory. Read once, so that its pages, their compressed forms and the hashes of their scripts belong
 * to one build even while another is written, and so that no path of a request ever reaches the file system.
 */
export interface SiteFiles {
  /** By URL path. A page is found with and without its closing slash. */
  readonly byPath: ReadonlyMap<string, SiteFile>;
  readonly notFound: SiteFile | null;
  /** The text of every page. */
  readonly pages: readonly string[];
}

/** A site without pages: for tests of the API, and for development, where another server has the pages. */
export const NO_SITE: SiteFiles = { byPath: new Map(), notFound: null, pages: [] };

const ENCODED_ENDINGS: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** Files that carry a hash of their content in their name: the site's assets, and the parts of its search index. */
const HASHED = /^\/(?:_astro|pagefind\/(?:fragment|index|filter))\//;
/** Files that must always be asked for again: pages, the service worker, and the search, whose parts belong together. */
const REVALIDATED = /(?:\.html|^\/sw\.js|^\/pagefind\/[^/]+)$/;

function cacheControl(path: string): string {
  if (HASHED.test(path)) return 'public, max-age=31536000, immutable';
  return REVALIDATED.test(path) ? 'no-cache' : 'public, max-age=3600';
}

function fileForm(bytes: Buffer): FileForm {
  return { bytes, etag: strongTag(bytes) };
}

/** URL paths of a file: `staking/index.html` and `staking.html` are both the page `/staking`. */
function urlPaths(path: string): readonly string[] {
  if (!path.endsWith('.html')) return [path];
  const page = path.slice(0, -'.html'.length);
  const folder = page.endsWith('/index') ? page.slice(0, -'/index'.length) : page;
  return folder === '' ? ['/', path] : [folder, `${folder}/`, path];
}

/** Every file but those whose name begins with a dot: they are the build's own. */
async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    files.map(async (file) => {
      const path = `/${relative(folder, file).split(sep).join('/')}`;
      return [path, await readFile(file)] as const;
    }),
  );
  return new Map(read);
}

/**
 * Reads a built site. @throws {StartError} code 75 where it is not built.
 */
export async function readSiteFiles(folder: string): Promise<SiteFiles> {
  let tree: Map<string, Buffer>;
  try {
    tree = await readTree(folder);
  } catch (error) {
    throw new StartError(
      `The site is not built: ${folder} cannot be read. Run npm start, which builds it.`,
      EXIT.tryAgain,
      { cause: error },
    );
  }
  if (!tree.has('/index.html')) {
    throw new StartError(
      `The site is not built: ${folder} holds no index.html. Run npm start, which builds it.`,
      EXIT.tryAgain,
    );
  }
  const byPath = new Map<string, SiteFile>();
  const pages: string[] = [];
  let notFound: SiteFile | null = null;
  for (const [path, bytes] of tree) {
    if (
      ENCODED_ENDINGS.some(([, ending]) => path.endsWith(ending) && tree.has(path.slice(0, -ending.length)))
    ) {
      continue;
    }
    const encoded = new Map<Encoding, FileForm>();
    for (const [encoding, ending] of ENCODED_ENDINGS) {
      const compressed = tree.get(path + ending);
      if (compressed) encoded.set(encoding, fileForm(compressed));
    }
    const file = {
      contentType: contentType(path),
      cacheControl: cacheControl(path),
      plain: fileForm(bytes),
      encoded,
    };
    if (path.endsWith('.html')) pages.push(bytes.toString('utf8'));
    if (path === '/404.html') notFound = file;
    else for (const url of urlPaths(path)) byPath.set(url, file);
  }
  return { byPath, notFound, pages };
}
