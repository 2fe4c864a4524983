import type { CollectionEntry } from 'astro:content';
import { t } from '../../../data/model/locale.ts';
import { localizePath, tCount, translateTexts } from '../../../data/model/locale-texts.ts';
import { plainText } from '../../../data/model/search/tokenizer.ts';
import { createElement, createLink, requireElement } from '../elements.ts';
import { bestItems, loadPagefind, pageItem } from './search-results.ts';
import { loadSectionSearch } from './section-search.ts';

/** From `content/search-and-offline.yaml`. Set by the build. */
declare const SEARCH_TEXTS: CollectionEntry<'searchAndOffline'>['data']['search'];
const texts = translateTexts(SEARCH_TEXTS);

const FRAME =
  '<search class="query"><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>' +
  '<input type="search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" autofocus>' +
  '<form method="dialog"><button class="close"></button></form></search>' +
  '<div class="results"><p class="status" role="status"></p><ul class="best"></ul><h2 hidden></h2><ul class="pages"></ul>' +
  '<p class="message none" hidden></p><div class="message failed" role="alert" hidden><p></p><button class="button" type="button"></button></div></div>';

function createSearchView() {
  const dialog = createElement('dialog', 'site-search');
  dialog.id = 'site-search';
  dialog.setAttribute('aria-label', texts.title);
  dialog.setAttribute('closedby', 'any');
  dialog.innerHTML = FRAME;
  const view = {
    dialog,
    input: requireElement<HTMLInputElement>(dialog, 'input'),
    status: requireElement(dialog, '.status'),
    bestList: requireElement(dialog, '.best'),
    pagesTitle: requireElement(dialog, 'h2'),
    pageList: requireElement(dialog, '.pages'),
    noneMessage: requireElement(dialog, '.none'),
    failedMessage: requireElement(dialog, '.failed'),
    retryButton: requireElement(dialog, '.failed button'),
  };
  view.input.setAttribute('aria-label', texts.label);
  view.input.placeholder = texts.placeholder;
  view.retryButton.textContent = texts.retry;
  requireElement(dialog, '.close').textContent = texts.close;
  requireElement(dialog, '.failed p').textContent = texts.failed;
  view.pagesTitle.textContent = texts.pages;
  view.noneMessage.append(`${texts.empty} `, createLink('', localizePath('/faq'), texts.emptyLink));
  document.body.append(dialog);
  return view;
}

const MIN_QUERY_LENGTH = 2;
const DEBOUNCE_MS = 150;
/** Milliseconds after which a slow search shows a loading message. */
const SLOW_AFTER_MS = 600;
const MAX_PAGES = 8;

const { dialog, input, status, bestList, pagesTitle, pageList, noneMessage, failedMessage, retryButton } =
  createSearchView();

/** @param correctedQuery the corrected query; null if the search used the query as typed */
function countText(count: number, correctedQuery: string | null): string {
  const { none, one, other } = texts.results;
  const results = count === 0 ? none : tCount(count, one, other);
  return correctedQuery === null ? results : t(SEARCH_TEXTS.corrected, { results, query: correctedQuery });
}

function showPages(items: readonly HTMLLIElement[]): void {
  pageList.replaceChildren(...items);
  pagesTitle.hidden = items.length === 0 || bestList.childElementCount === 0;
}

/** The query for which the best sections are listed. */
let bestQuery = '';

/** Lists the best sections at once, then adds, below them, the pages that contain the query's words. */
async function findAndShow(term: string, isCurrent: () => boolean): Promise<void> {
  const matches = (await loadSectionSearch()).find(term);
  if (!isCurrent()) return;
  bestList.replaceChildren(...bestItems(matches));
  bestQuery = term;
  const pagefind = await loadPagefind();
  const search = await pagefind.debouncedSearch(matches.searchedQuery, {}, DEBOUNCE_MS);
  if (search === null || !isCurrent()) return;
  const matchingPages = await Promise.all(search.results.slice(0, MAX_PAGES).map((result) => result.data()));
  if (!isCurrent()) return;
  const listedUrls = new Set(
    [...bestList.querySelectorAll('a')].map(({ pathname, hash }) => pathname + hash),
  );
  showPages(matchingPages.map((page) => pageItem(page, listedUrls)).filter((item) => item !== null));
  const count = bestList.childElementCount + pageList.childElementCount;
  noneMessage.hidden = count > 0;
  status.textContent = countText(
    count,
    matches.searchedQuery === plainText(term) ? null : matches.searchedQuery,
  );
}

async function runSearch(): Promise<void> {
  const term = input.value.trim();
  const isCurrent = () => term === input.value.trim();
  failedMessage.hidden = true;
  noneMessage.hidden = true;
  if (term.length < MIN_QUERY_LENGTH) {
    bestList.replaceChildren();
    showPages([]);
    status.textContent = texts.hint;
    return;
  }
  const slowTimer = setTimeout(() => {
    if (isCurrent()) status.textContent = texts.loading;
  }, SLOW_AFTER_MS);
  try {
    await findAndShow(term, isCurrent);
  } catch {
    if (!isCurrent()) return;
    if (bestQuery !== term) bestList.replaceChildren();
    showPages([]);
    status.textContent = '';
    failedMessage.hidden = false;
  } finally {
    clearTimeout(slowTimer);
  }
}

function moveFocus(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops: HTMLElement[] = [input, ...dialog.querySelectorAll('a')];
  const { activeElement: active } = document;
  const index = active instanceof HTMLElement ? stops.indexOf(active) : -1;
  const next = stops[(index + (event.key === 'ArrowDown' ? 1 : -1) + stops.length) % stops.length];
  event.preventDefault();
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

dialog.addEventListener('keydown', moveFocus);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') dialog.querySelector<HTMLAnchorElement>('ul a')?.click();
  // By default, Escape only clears a search field.
  if (event.key === 'Escape') dialog.close();
});
input.addEventListener('input', () => {
  void loadSectionSearch().catch(() => undefined);
  void runSearch();
});
retryButton.addEventListener('click', () => void runSearch());
// A link within the current page does not load a new page, so the dialog must be closed here.
dialog.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('a')) dialog.close();
});

/** Opens the search with an initial term, or closes it if it is open. Does nothing while another dialog is open. */
export function toggleSearch(term: string): void {
  if (dialog.open) {
    dialog.close();
    return;
  }
  if (document.querySelector('dialog:modal')) return;
  dialog.showModal();
  if (term === '') input.select();
  else input.value = term;
  // Preloads Pagefind. If this fails, the first search reports the error.
  void loadPagefind().catch(() => undefined);
  void runSearch();
}
