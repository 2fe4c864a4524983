import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ORIGIN_PLACEHOLDER } from '../data/contract/origin-placeholder.ts';
import { readYaml } from '../site/content/facts.ts';
import { LANGUAGES, splitPath } from '../site/locale/languages.ts';
import { hasHashInName } from '../site/worker/hashed-files.ts';
import { type BuiltPage, canonicalPath, readBuiltPages } from './built-pages.ts';
import { SECTION_INDEX_FILE } from './section-index.ts';
import { filesBelow } from './tree-stamp.ts';

/** A file that the service worker stores. `revision` is null if the file's name contains a hash. */
interface StoredFile {
  readonly url: string;
  readonly revision: string | null;
}

interface StoredSite {
  readonly files: readonly StoredFile[];
  /** The stored files for pages with live figures and for aliases. Each key is the path of such a page or alias. */
  readonly networkPages: Readonly<Record<string, string>>;
}

const ASSETS = '_astro';
const OFFLINE_PAGE = 'offline.html';
const ARTWORK = 'artwork';
/** Files that only the browser itself requests. */
const SITE_FILES = ['favicon.svg', 'manifest.webmanifest'];

/** Every listed page in English that `content/pages.yaml` does not exclude, and `offline.html`, which lists them. */
function pagesToStore(pages: readonly BuiltPage[]): readonly BuiltPage[] {
  const texts = readYaml('content/pages.yaml');
  const isExcluded = (path: string) => Reflect.get(Object(texts[path]), 'offline') === false;
  return pages.filter(
    ({ file, path, isListed }) =>
      file === OFFLINE_PAGE || (isListed && splitPath(path).language === null && !isExcluded(path)),
  );
}

/** Pagefind's files for languages other than English: `pagefind.ar_….pf_meta`, `fragment/ar_….pf_fragment`. */
function isInOtherLanguage(file: string): boolean {
  return Object.keys(LANGUAGES).some((language) => new RegExp(`[./]${language}[._]`).test(file));
}

function findNetworkPages(
  pages: readonly BuiltPage[],
  offlinePages: readonly BuiltPage[],
): Record<string, string> {
  const files = new Map(offlinePages.map(({ path, file }) => [path, file]));
  return Object.fromEntries(
    pages.flatMap(({ path, html, isIslandFree, isListed }) => {
      const file = files.get(canonicalPath(html) ?? '');
      return file === undefined || (isListed && isIslandFree) ? [] : [[path, `/${file}`]];
    }),
  );
}

/** The hashed assets that pages reference, directly or through other assets. Leaves out assets that are useless offline. */
async function assetsOf(pages: readonly BuiltPage[], output: string): Promise<readonly string[]> {
  const assetNames = (await readdir(join(output, ASSETS))).filter((name) =>
    /\.(?:js|css|woff2|svg|png)$/.test(name),
  );
  const foundNames = new Set<string>();
  const findNames = (text: string) => {
    const newNames = assetNames.filter((name) => !foundNames.has(name) && text.includes(name));
    for (const name of newNames) foundNames.add(name);
    return newNames;
  };
  const unreadNames = pages.flatMap(({ html }) => findNames(html));
  for (let name = unreadNames.pop(); name !== undefined; name = unreadNames.pop()) {
    if (/\.(?:js|css)$/.test(name))
      unreadNames.push(...findNames(await readFile(join(output, ASSETS, name), 'utf8')));
  }
  // The demo wallet needs the embedded ledger, which cannot be reached offline. Eastern characters occur only in texts that
  // visitors write.
  const storedNames = [...foundNames].filter((name) => !/^(?:demo-wallet|geist-eastern)\./.test(name));
  return storedNames.sort().map((name) => `${ASSETS}/${name}`);
}

export async function storedSiteOf(output: string): Promise<StoredSite> {
  const pages = await readBuiltPages(output);
  const offlinePages = pagesToStore(pages);
  const paths = [
    ...offlinePages.map(({ file }) => file),
    ...(await assetsOf(offlinePages, output)),
    ...(await filesBelow(join(output, 'pagefind')))
      .map((file) => relative(output, file))
      .filter((file) => !isInOtherLanguage(file)),
    ...(await filesBelow(join(output, ARTWORK))).map((file) => relative(output, file)),
    SECTION_INDEX_FILE,
    ...SITE_FILES,
  ];
  const files = await Promise.all(
    paths.map(async (file) => {
      const url = `/${file}`;
      if (hasHashInName(url)) return { url, revision: null };
      const content = await readFile(join(output, file));
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
      // If a file contains the placeholder for the origin, so does the file's revision. The API replaces both, so a new
      // origin results in a new revision.
      return { url, revision: content.includes(ORIGIN_PLACEHOLDER) ? `${hash} ${ORIGIN_PLACEHOLDER}` : hash };
    }),
  );
  return { files, networkPages: findNetworkPages(pages, offlinePages) };
}

export async function writeWorker({ files, networkPages }: StoredSite, output: string): Promise<void> {
  const bundle = await rolldown({
    input: 'site/worker/worker.ts',
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        STORED_FILES: JSON.stringify(files),
        NETWORK_PAGES: JSON.stringify(networkPages),
      },
    },
    logLevel: 'silent',
  });
  try {
    const { output: chunks } = await bundle.generate({ format: 'iife', minify: true });
    const [chunk, ...more] = chunks;
    if (more.length > 0)
      throw new Error(
        `The service worker was built as several files, including ${basename(more[0]?.fileName ?? '')}.`,
      );
    await writeFile(join(output, 'sw.js'), chunk.code);
  } finally {
    await bundle.close();
  }
}
