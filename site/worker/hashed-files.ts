const SEARCH_PART = /^\/pagefind\/(?:(?:fragment|index|filter)\/|pagefind\.[\w-]+_[0-9a-f]+\.pf_meta$)/;

/** Whether a file's name contains a hash of its content, so that the file never changes. */
export function isHashed(path: string): boolean {
  return path.startsWith('/_astro/') || SEARCH_PART.test(path);
}
