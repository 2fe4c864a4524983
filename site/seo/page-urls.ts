import type { PagePath } from '../content/pages.ts';

/** The absolute URL of a page. `site` is Astro's setting. */
export function absoluteUrl(path: string, site: URL | undefined): string {
  if (!site) throw new Error('astro.config.mjs sets no site, which absolute URLs need.');
  return new URL(path, site).href;
}

/** The file name of a page's preview image, without its extension. */
export function shareImageName(path: PagePath): string {
  return path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
}
