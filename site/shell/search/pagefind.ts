/** The part of Pagefind's JavaScript API that the search uses (https://pagefind.app/docs/api-reference/). */
export interface Pagefind {
  options(options: { readonly excerptLength: number }): Promise<void>;
  init(): Promise<void>;
  /** Null where a later search came in between. */
  debouncedSearch(term: string, options: object, milliseconds: number): Promise<PagefindSearch | null>;
}

export interface PagefindSearch {
  readonly results: readonly { data(): Promise<PagefindPage> }[];
}

/** A page that matches; its excerpts are HTML. */
export interface PagefindPage extends PagefindPlace {
  readonly meta: { readonly title?: string };
  /** Places under headings of their own. The page's beginning may be among them, with the page's own address. */
  readonly sub_results: readonly (PagefindPlace & { readonly title: string })[];
}

export interface PagefindPlace {
  readonly url: string;
  readonly excerpt: string;
}

const SOURCE = '/pagefind/pagefind.js';
/** Words of an excerpt. */
const EXCERPT_LENGTH = 22;

let loading: Promise<Pagefind> | null = null;

async function load(): Promise<Pagefind> {
  // Written after the site is built, so the bundler does not know it.
  const pagefind: Pagefind = await import(/* @vite-ignore */ SOURCE);
  await pagefind.options({ excerptLength: EXCERPT_LENGTH });
  await pagefind.init();
  return pagefind;
}

/** Loads the search once. After a failure the next call tries again. */
export function loadPagefind(): Promise<Pagefind> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}
