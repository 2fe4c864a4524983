import { createElement, createLink } from '../elements.ts';
import type { SectionMatches } from './section-search.ts';

/** The part of Pagefind's JavaScript API that the search uses (https://pagefind.app/docs/api-reference/). */
interface Pagefind {
  options(options: {
    readonly excerptLength: number;
    readonly ranking: { readonly metaWeights: Readonly<Record<string, number>> };
  }): Promise<void>;
  init(): Promise<void>;
  /** Null if a later search has replaced this one. */
  debouncedSearch(term: string, options: object, milliseconds: number): Promise<PagefindSearch | null>;
}

interface PagefindSearch {
  readonly results: readonly { data(): Promise<PagefindPage> }[];
}

/** A matching page. Excerpts are HTML. */
interface PagefindPage extends PagefindSection {
  readonly meta: { readonly title?: string };
  /** Matching sections that have a heading. The first can be the page itself. */
  readonly sub_results: readonly (PagefindSection & { readonly title: string })[];
}

interface PagefindSection {
  readonly url: string;
  readonly excerpt: string;
}

const PAGEFIND_URL = '/pagefind/pagefind.js';
const EXCERPT_WORDS = 22;
/** The weight of a match in the title (Pagefind's default is 5), so that pages with the search term in their title come first. */
const TITLE_WEIGHT = 10;

let pagefindPromise: Promise<Pagefind> | null = null;

async function load(): Promise<Pagefind> {
  // Pagefind writes this file after the build, so the bundler cannot resolve it.
  const pagefind: Pagefind = await import(/* @vite-ignore */ PAGEFIND_URL);
  await pagefind.options({
    excerptLength: EXCERPT_WORDS,
    ranking: { metaWeights: { title: TITLE_WEIGHT } },
  });
  await pagefind.init();
  return pagefind;
}

/** If loading fails, the next call tries again. */
export function loadPagefind(): Promise<Pagefind> {
  pagefindPromise ??= load().catch((error: unknown) => {
    pagefindPromise = null;
    throw error;
  });
  return pagefindPromise;
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

/** Splits an excerpt (HTML with `<mark>` around each match) into parts of plain text, which are never parsed as HTML. */
export function excerptParts(html: string) {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .map((segment) => {
      const [, match] = /^<mark>(.*)<\/mark>$/s.exec(segment) ?? [];
      return { text: decode(match ?? segment), isMatch: match !== undefined };
    })
    .filter(({ text }) => text !== '');
}

const MAX_SECTIONS = 3;

type ExcerptPart = ReturnType<typeof excerptParts>[number];

/** @param pageTitle the title of the page that contains the entry; empty if the entry is the page itself */
function entryItem(url: string, title: string, parts: readonly ExcerptPart[], pageTitle = ''): HTMLLIElement {
  const item = createElement('li', '', createLink('', url, title));
  const pageLabel = pageTitle === '' ? [] : [createElement('span', 'page', pageTitle), ' · '];
  const text = parts.map(({ text, isMatch }) => (isMatch ? createElement('mark', '', text) : text));
  if (pageLabel.length + text.length > 0) item.append(createElement('p', '', ...pageLabel, ...text));
  return item;
}

/**
 * A page with its matching sections, or with the page's own excerpt if there are none.
 * @param listedUrls the URLs of the results that are already listed; sections with these URLs are left out
 * @returns null if all of this page's results are already listed
 */
export function pageItem(
  { url: pageUrl, meta, excerpt: pageExcerpt, sub_results }: PagefindPage,
  listedUrls: ReadonlySet<string>,
): HTMLLIElement | null {
  const sections = sub_results
    .filter(({ url }) => url !== pageUrl && !listedUrls.has(url))
    .slice(0, MAX_SECTIONS);
  if (sections.length === 0 && listedUrls.has(pageUrl)) return null;
  const item = entryItem(
    pageUrl,
    meta.title ?? pageUrl,
    sections.length > 0 ? [] : excerptParts(pageExcerpt),
  );
  const items = sections.map(({ url, title, excerpt }) => entryItem(url, title, excerptParts(excerpt)));
  if (items.length > 0) item.append(createElement('ul', '', ...items));
  return item;
}

const MAX_BEST_SECTIONS = 5;
/** A section is listed if its score is at least this share of the best score. */
const MIN_SHARE_OF_BEST = 0.6;

const WORDS = /([^\p{L}\p{N}]*)([\p{L}\p{N}]+(?:[.,]\p{N}+)*|$)/gu;
const WORDS_BEFORE_MATCH = 6;

/** Shortens a text to an excerpt that starts shortly before the first matching word, and splits it at the matching words. */
export function matchParts(text: string, isMatch: (word: string) => boolean): readonly ExcerptPart[] {
  // Each word or number, with the characters between it and the previous one.
  const words = [...text.matchAll(WORDS)].map(([, before = '', word = '']) => ({
    before,
    word,
    isMatch: word !== '' && isMatch(word),
  }));
  const first = words.findIndex(({ isMatch }) => isMatch);
  const start = words.length <= EXCERPT_WORDS ? 0 : Math.max(0, first - WORDS_BEFORE_MATCH);
  const end = start + EXCERPT_WORDS;
  return [
    { text: start > 0 ? '…' : '', isMatch: false },
    ...words.slice(start, end).flatMap(({ before, word, isMatch }) => [
      { text: before, isMatch: false },
      { text: word, isMatch },
    ]),
    { text: end < words.length ? ' …' : '', isMatch: false },
  ].filter(({ text }) => text !== '');
}

export function bestItems({ results, isMatch }: SectionMatches): readonly HTMLLIElement[] {
  const [best] = results;
  return results
    .slice(0, MAX_BEST_SECTIONS)
    .filter(({ score }) => score >= (best?.score ?? 0) * MIN_SHARE_OF_BEST)
    .map(({ passage: { href, title, page, text }, parts }) =>
      entryItem(href, title, matchParts(parts[0] ?? text, isMatch), title === page ? '' : page),
    );
}
