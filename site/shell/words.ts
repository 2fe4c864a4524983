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
