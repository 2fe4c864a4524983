/** Paths of calls, which the service worker leaves to the network untouched. */
export function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

const SEARCH_PART = /^\/pagefind\/(?:(?:fragment|index|filter)\/|pagefind\.[\w-]+_[0-9a-f]+\.pf_meta$)/;

/** Whether a file's name changes with its content, so that it is the same for ever. */
export function isHashed(path: string): boolean {
  return path.startsWith('/_astro/') || SEARCH_PART.test(path);
}
