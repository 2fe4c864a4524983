import { getCollection, getEntry } from 'astro:content';
import type { PagePath } from '../shell/words.ts';

/** A page that search engines may list, under the one address it is known by. */
export interface ListedPage {
  readonly path: PagePath;
  readonly title: string;
  readonly description: string;
  /** Day of the last change in its words; null where none is recorded. */
  readonly changedOn: Date | null;
}

/** Every listed page: no alias, no admin page, no error page. @throws {Error} where `content/pages.yaml` is missing. */
export async function listedPages(): Promise<readonly ListedPage[]> {
  const pages = (await getEntry('pages', 'pages'))?.data;
  if (!pages) throw new Error('content/pages.yaml is missing or is not valid YAML.');
  const changes = await recordedChanges();
  for (const { title, pages: changed } of changes) {
    const unknown = changed.find((path) => !pages[path] || 'alias' in pages[path]);
    if (unknown)
      throw new Error(`content/changes.yaml: "${title}" names ${unknown}, which is no page of its own.`);
  }
  return Object.entries(pages).flatMap(([path, page]) => {
    if ('alias' in page || !page.index) return [];
    const { title, description } = page;
    const changedOn =
      changes.find((change) => change.pages.some((changed) => changed === path))?.date ?? null;
    // The record's keys are checked to be paths; its type has lost it.
    return [{ path: path as PagePath, title, description, changedOn }];
  });
}

/** Changes in the words of the portal, newest first. */
export async function recordedChanges() {
  const entries = await getCollection('changes');
  return entries.map(({ data }) => data).toSorted((a, b) => b.date.getTime() - a.date.getTime());
}

/** The address of a page from anywhere. `site` is Astro's, set when the site is built. */
export function fullAddress(path: string, site: URL | undefined): string {
  if (!site) throw new Error('astro.config.mjs sets no site: addresses that are shared need an origin.');
  const { href } = new URL(path, site);
  return href;
}

/** Path of the picture that stands for a page where it is shared. */
export function shareImagePath(path: PagePath): string {
  return `/share/${shareImageName(path)}.png`;
}

export function shareImageName(path: PagePath): string {
  return path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
}
