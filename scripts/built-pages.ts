import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Paths of the legal pages. */
export const LEGAL_PAGES: readonly string[] = readdirSync('content/legal').map(
  (file) => `/${file.replace(/\.mdx$/, '')}`,
);

/** Pages that must stay without islands. They have lower size limits. */
export const ISLAND_FREE_PAGES: ReadonlySet<string> = new Set([
  '/faq',
  ...LEGAL_PAGES,
  '/links',
  '/meet-the-team',
  '/investor-journey',
  '/404',
  '/offline',
]);

/** A built page. */
export interface BuiltPage {
  /** File below the output folder, `staking.html`. */
  readonly file: string;
  /** The path it is served at, `/staking`. */
  readonly path: string;
  readonly html: string;
  /** Whether search engines may list it under this path. */
  readonly isListed: boolean;
  /** Whether it has no islands. */
  readonly isText: boolean;
}

/** The path that a file of the built site is served at. */
export function pathOf(file: string): string {
  const path = `/${file.replace(/\.html$/, '')}`;
  return path.replace(/(^|\/)index$/, '') || '/';
}

function canonicalPath(html: string): string | null {
  const [, href] = /<link rel="?canonical"? href="?([^">\s]+)/.exec(html) ?? [];
  return href === undefined ? null : (URL.parse(href)?.pathname ?? null);
}

/** Every page of a built site, by file name. */
export async function readBuiltPages(output: string): Promise<readonly BuiltPage[]> {
  const entries = await readdir(output, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => relative(output, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return Promise.all(
    files.sort().map(async (file) => {
      const html = await readFile(join(output, file), 'utf8');
      const path = pathOf(file);
      return {
        file,
        path,
        html,
        isListed: canonicalPath(html) === path,
        isText: !html.includes('<astro-island'),
      };
    }),
  );
}
