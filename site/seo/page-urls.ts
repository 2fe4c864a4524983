import type { PagePath } from '../content/pages.ts';

/** @param site Astro's `site` setting */
export function absoluteUrl(path: string, site: URL | undefined): string {
  if (!site) throw new Error('astro.config.mjs does not set `site`, which absolute URLs need.');
  return new URL(path, site).href;
}

/** The file name of a page's preview image, without its extension. */
export function shareImageName(path: PagePath): string {
  return path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
}
