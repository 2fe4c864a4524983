import { type CollectionEntry, getEntry } from 'astro:content';

/** What every page says about the house. @throws {Error} where `content/site.yaml` is missing or cannot be read. */
export async function siteWords(): Promise<CollectionEntry<'site'>['data']> {
  const entry = await getEntry('site', 'site');
  if (!entry) throw new Error('content/site.yaml is missing or is not valid YAML.');
  return entry.data;
}

/** The links that leave the site. @throws {Error} where `content/links.yaml` is missing or cannot be read. */
export async function outsideLinks(): Promise<CollectionEntry<'links'>['data']> {
  const entry = await getEntry('links', 'links');
  if (!entry) throw new Error('content/links.yaml is missing or is not valid YAML.');
  return entry.data;
}

/** What search, the offline page and the notice of a new version say. @throws {Error} as the others. */
export async function shellWords(): Promise<CollectionEntry<'searchAndOffline'>['data']> {
  const entry = await getEntry('searchAndOffline', 'search-and-offline');
  if (!entry) throw new Error('content/search-and-offline.yaml is missing or is not valid YAML.');
  return entry.data;
}

export type PagePath = `/${string}`;

/** What a page is called: title, description, and whether search engines may list it. */
export interface PageWords {
  readonly title: string;
  readonly description: string;
  readonly index: boolean;
}

/** @throws {Error} where `content/pages.yaml` names no such page, or only an alias of another. */
export async function pageWords(path: PagePath): Promise<PageWords> {
  const entry = await getEntry('pages', 'pages');
  const page = entry?.data[path];
  if (!page) throw new Error(`content/pages.yaml has no page ${path}.`);
  if ('alias' in page) throw new Error(`${path} is an alias: its screen is known by ${page.alias}.`);
  return page;
}
