const HASHED_SEARCH_FILE =
  /^\/pagefind\/(?:(?:fragment|index|filter)\/|pagefind\.[\w-]+_[0-9a-f]+\.pf_meta$)/;

/** Whether a file's name contains a hash of its content. Such a file never changes. */
export function hasHashInName(path: string): boolean {
  return path.startsWith('/_astro/') || HASHED_SEARCH_FILE.test(path);
}
