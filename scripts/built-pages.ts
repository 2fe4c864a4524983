import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { filesBelow } from './tree-stamp.ts';

export const LEGAL_PAGES: readonly string[] = readdirSync('content/legal').map(
  (file) => `/${file.replace(/\.mdx$/, '')}`,
);

/** Pages that must have no islands. They have lower size limits. */
export const ISLAND_FREE_PAGES: ReadonlySet<string> = new Set([
  '/faq',
  '/ar/faq',
  ...LEGAL_PAGES,
  '/links',
  '/meet-the-team',
  '/investor-journey',
  '/404',
  '/offline',
  '/confirm-mailbox',
  '/developers',
]);

export interface BuiltPage {
  /** The file in the output folder, such as `staking.html`. */
  readonly file: string;
  /** The page's URL path, such as `/staking`. */
  readonly path: string;
  readonly html: string;
  /** Whether search engines may list the page under this path. */
  readonly isListed: boolean;
  readonly isIslandFree: boolean;
}

export function pathOf(file: string): string {
  const path = `/${file.replace(/\.html$/, '')}`;
  return path.replace(/(^|\/)index$/, '') || '/';
}

/** The path in a page's canonical link; null if search engines must not list the page. */
export function canonicalPath(html: string): string | null {
  const [, href] = /<link rel="?canonical"? href="?([^">\s]+)/.exec(html) ?? [];
  return href === undefined ? null : (URL.parse(href)?.pathname ?? null);
}

/** Reads every page of a built site, sorted by file name. */
export async function readBuiltPages(output: string): Promise<readonly BuiltPage[]> {
  const files = (await filesBelow(output))
    .filter((file) => file.endsWith('.html'))
    .map((file) => relative(output, file).split(sep).join('/'));
  return Promise.all(
    files.sort().map(async (file) => {
      const html = await readFile(join(output, file), 'utf8');
      const path = pathOf(file);
      const isIslandFree = !html.includes('<astro-island');
      return { file, path, html, isListed: canonicalPath(html) === path, isIslandFree };
    }),
  );
}
