import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { isHashed } from '../site/worker/addresses.ts';
import { type BuiltPage, filesBelow, readBuiltPages } from './built-pages.ts';

/** A file that the service worker stores. Its revision is null if its name contains a hash. */
interface StoredFile {
  readonly url: string;
  readonly revision: string | null;
}

const ASSETS = '_astro';
const OFFLINE_PAGE = 'offline.html';
/** Files that no page references, only stylesheets and the manifest. */
const PICTURES = ['favicon.svg', 'artwork/medallion.svg', 'manifest.webmanifest'];

/** The pages without islands, except the error page and those for the team. */
function storedPages(pages: readonly BuiltPage[]): readonly BuiltPage[] {
  return pages.filter(
    ({ file, html, isText }) =>
      file === OFFLINE_PAGE || (isText && !/<meta name="?robots"? content="?noindex/.test(html)),
  );
}

/** Every hashed asset that pages reference, directly or through other assets. */
async function assetsOf(pages: readonly BuiltPage[], output: string): Promise<readonly string[]> {
  const all = (await readdir(join(output, ASSETS))).filter((name) =>
    /\.(?:js|css|woff2|svg|png)$/.test(name),
  );
  const found = new Set<string>();
  const search = (text: string) => {
    const fresh = all.filter((name) => !found.has(name) && text.includes(name));
    for (const name of fresh) found.add(name);
    return fresh;
  };
  const waiting = pages.flatMap(({ html }) => search(html));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (/\.(?:js|css)$/.test(name))
      waiting.push(...search(await readFile(join(output, ASSETS, name), 'utf8')));
  }
  return [...found].sort().map((name) => `${ASSETS}/${name}`);
}

/** All files that the service worker of a built site stores. */
export async function filesToStore(output: string): Promise<readonly StoredFile[]> {
  const pages = storedPages(await readBuiltPages(output));
  const files = [
    ...pages.map(({ file }) => file),
    ...(await assetsOf(pages, output)),
    ...(await filesBelow(join(output, 'pagefind'))).map((file) => relative(output, file)),
    ...PICTURES,
  ];
  return Promise.all(
    files.map(async (file) => {
      const url = `/${file}`;
      if (isHashed(url)) return { url, revision: null };
      const content = await readFile(join(output, file));
      return { url, revision: createHash('sha256').update(content).digest('hex').slice(0, 16) };
    }),
  );
}

/** Writes the service worker as one script. */
export async function writeWorker(files: readonly StoredFile[], output: string): Promise<void> {
  const bundle = await rolldown({
    input: 'site/worker/worker.ts',
    transform: { define: { 'process.env.NODE_ENV': '"production"', STORED_FILES: JSON.stringify(files) } },
    logLevel: 'silent',
  });
  try {
    const { output: chunks } = await bundle.generate({ format: 'iife', minify: true });
    const [chunk, ...more] = chunks;
    if (more.length > 0)
      throw new Error(
        `The service worker was built as several files, with ${basename(more[0]?.fileName ?? '')}.`,
      );
    await writeFile(join(output, 'sw.js'), chunk.code);
  } finally {
    await bundle.close();
  }
}
