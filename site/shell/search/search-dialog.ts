import type { CollectionEntry } from 'astro:content';
import { createElement, createLink, findPart } from '../elements.ts';
import { loadPagefind, type Pagefind, resultItem } from './search-results.ts';

/** From `content/search-and-offline.yaml`. Set by the build. */
declare const SEARCH_TEXTS: CollectionEntry<'searchAndOffline'>['data']['search'];
const texts = SEARCH_TEXTS;

const FRAME =
  '<search class="query"><svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>' +
  '<input type="search" autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" autofocus>' +
  '<form method="dialog"><button class="close"></button></form></search>' +
  '<div class="results"><p class="status" role="status"></p><ul></ul>' +
  '<p class="message none" hidden></p><div class="message failed" role="alert" hidden><p></p><button class="button" type="button"></button></div></div>';

/** Creates the closed search dialog at the end of the page. */
function createSearchView() {
  const dialog = createElement('dialog', 'site-search');
  dialog.id = 'site-search';
  dialog.setAttribute('aria-label', texts.title);
  dialog.setAttribute('closedby', 'any');
  dialog.innerHTML = FRAME;
  const view = {
    dialog,
    input: findPart<HTMLInputElement>(dialog, 'input'),
    status: findPart(dialog, '.status'),
    list: findPart(dialog, 'ul'),
    /** Shown if no page matches. */
    none: findPart(dialog, '.none'),
    /** Shown if the search could not be loaded. */
    failed: findPart(dialog, '.failed'),
    retry: findPart(dialog, '.failed button'),
  };
  view.input.setAttribute('aria-label', texts.label);
  view.input.placeholder = texts.placeholder;
  view.retry.textContent = texts.retry;
  findPart(dialog, '.close').textContent = texts.close;
  findPart(dialog, '.failed p').textContent = texts.failed;
  view.none.append(`${texts.empty} `, createLink('', '/faq', texts.emptyLink));
  document.body.append(dialog);
  return view;
}

/** Minimum length of a query, in characters. */
const MIN_LENGTH = 2;
/** Milliseconds without typing before a search. */
const DEBOUNCE = 150;
/** Milliseconds after which a slow search shows its progress. */
const SLOW = 600;
const MAX_PAGES = 8;

const { dialog, input, status, list, none, failed, retry } = createSearchView();

function countText(count: number): string {
  if (count === 0) return texts.results.none;
  return count === 1 ? texts.results.one : texts.results.other.replace('{count}', String(count));
}

async function find(pagefind: Pagefind, term: string): Promise<void> {
  const isCurrent = () => term === input.value.trim();
  const search = await pagefind.debouncedSearch(term, {}, DEBOUNCE);
  if (search === null || !isCurrent()) return;
  const pages = await Promise.all(search.results.slice(0, MAX_PAGES).map((result) => result.data()));
  if (!isCurrent()) return;
  list.replaceChildren(...pages.map(resultItem));
  none.hidden = pages.length > 0;
  status.textContent = countText(search.results.length);
}

async function run(): Promise<void> {
  const term = input.value.trim();
  failed.hidden = true;
  none.hidden = true;
  if (term.length < MIN_LENGTH) {
    list.replaceChildren();
    status.textContent = texts.hint;
    return;
  }
  let isReady = false;
  const showProgress = () => {
    status.textContent = isReady ? texts.searching : texts.loading;
  };
  const slow = setTimeout(showProgress, SLOW);
  try {
    const pagefind = await loadPagefind();
    isReady = true;
    await find(pagefind, term);
  } catch {
    list.replaceChildren();
    status.textContent = '';
    failed.hidden = false;
  } finally {
    clearTimeout(slow);
  }
}

function moveFocus(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops: HTMLElement[] = [input, ...list.querySelectorAll('a')];
  const { activeElement: active } = document;
  const at = active instanceof HTMLElement ? stops.indexOf(active) : -1;
  const next = stops[(at + (event.key === 'ArrowDown' ? 1 : -1) + stops.length) % stops.length];
  event.preventDefault();
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

dialog.addEventListener('keydown', moveFocus);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') list.querySelector('a')?.click();
  // By default, Escape only clears a search field.
  if (event.key === 'Escape') dialog.close();
});
input.addEventListener('input', () => void run());
retry.addEventListener('click', () => void run());
// A link within the page does not reload it, so the dialog must close itself.
dialog.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('a')) dialog.close();
});

/** Opens the search with a first term or closes it. Never covers another dialog, such as the daily terms. */
export function toggleSearch(term: string): void {
  if (dialog.open) {
    dialog.close();
    return;
  }
  if (document.querySelector('dialog:modal')) return;
  dialog.showModal();
  if (term === '') input.select();
  else input.value = term;
  // Preloads the index; a failure shows with the first search.
  void loadPagefind().catch(() => undefined);
  void run();
}
