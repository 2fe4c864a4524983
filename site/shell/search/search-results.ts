import { createElement, createLink } from '../elements.ts';

/** The part of Pagefind's JavaScript API that the search uses (https://pagefind.app/docs/api-reference/). */
export interface Pagefind {
  options(options: {
    readonly excerptLength: number;
    readonly ranking: { readonly metaWeights: Readonly<Record<string, number>> };
  }): Promise<void>;
  init(): Promise<void>;
  /** Null if a later search replaced this one. */
  debouncedSearch(term: string, options: object, milliseconds: number): Promise<PagefindSearch | null>;
}

interface PagefindSearch {
  readonly results: readonly { data(): Promise<PagefindPage> }[];
}

/** A matching page. Excerpts are HTML. */
interface PagefindPage extends PagefindSection {
  readonly meta: { readonly title?: string };
  /** Sections with a heading. The first can be the page itself. */
  readonly sub_results: readonly (PagefindSection & { readonly title: string })[];
}

interface PagefindSection {
  readonly url: string;
  readonly excerpt: string;
}

const SOURCE = '/pagefind/pagefind.js';
/** The length of an excerpt in words. */
const EXCERPT_LENGTH = 22;
/** The weight of a match in the title (Pagefind's default is 5). Puts a page with the search term in its title first. */
const TITLE_WEIGHT = 10;

let loading: Promise<Pagefind> | null = null;

async function load(): Promise<Pagefind> {
  // Pagefind writes it after the build, so the bundler cannot resolve it.
  const pagefind: Pagefind = await import(/* @vite-ignore */ SOURCE);
  await pagefind.options({
    excerptLength: EXCERPT_LENGTH,
    ranking: { metaWeights: { title: TITLE_WEIGHT } },
  });
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|#x27|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * Splits an excerpt, which is HTML with `<mark>` around each match, into plain text. No part of it is parsed as HTML later.
 */
export function excerptParts(html: string) {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .map((piece) => {
      const [, match] = /^<mark>(.*)<\/mark>$/s.exec(piece) ?? [];
      return { text: decode(match ?? piece), isMatch: match !== undefined };
    })
    .filter(({ text }) => text !== '');
}

const MAX_SECTIONS = 3;

function entryItem(url: string, title: string, excerpt: string): HTMLLIElement {
  const item = createElement('li', '', createLink('', url, title));
  const parts = excerptParts(excerpt).map(({ text, isMatch }) =>
    isMatch ? createElement('mark', '', text) : text,
  );
  if (parts.length > 0) item.append(createElement('p', '', ...parts));
  return item;
}

/** A page with its matching sections, or with its own excerpt if none matches. */
export function resultItem({
  url: pageUrl,
  meta,
  excerpt: pageExcerpt,
  sub_results,
}: PagefindPage): HTMLLIElement {
  const sections = sub_results.filter(({ url }) => url !== pageUrl).slice(0, MAX_SECTIONS);
  const item = entryItem(pageUrl, meta.title ?? pageUrl, sections.length > 0 ? '' : pageExcerpt);
  const items = sections.map(({ url, title, excerpt }) => entryItem(url, title, excerpt));
  if (items.length > 0) item.append(createElement('ul', '', ...items));
  return item;
}
