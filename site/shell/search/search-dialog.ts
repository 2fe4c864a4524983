import { loadPagefind, type Pagefind } from './pagefind.ts';
import { resultItem } from './result-list.ts';
import { createSearchView, words } from './search-view.ts';

/** Letters from which on a search says something. */
const SHORTEST = 2;
/** Milliseconds of rest in typing before a search, and after which a slow one says that it is under way. */
const REST = 150;
const SLOW = 600;
/** Pages shown. */
const PAGES = 8;

const { dialog, input, status, list, none, failed, retry } = createSearchView();

function countText(count: number): string {
  if (count === 0) return words.results.none;
  return count === 1 ? words.results.one : words.results.other.replace('{count}', String(count));
}

function say(text: string): void {
  status.textContent = text;
}

async function find(pagefind: Pagefind, term: string): Promise<void> {
  const isStill = () => term === input.value.trim();
  const search = await pagefind.debouncedSearch(term, {}, REST);
  if (search === null || !isStill()) return;
  const pages = await Promise.all(search.results.slice(0, PAGES).map((result) => result.data()));
  if (!isStill()) return;
  list.replaceChildren(...pages.map(resultItem));
  none.hidden = pages.length > 0;
  say(countText(search.results.length));
}

async function run(): Promise<void> {
  const term = input.value.trim();
  failed.hidden = true;
  none.hidden = true;
  if (term.length < SHORTEST) {
    list.replaceChildren();
    say(words.hint);
    return;
  }
  let isReady = false;
  // What is there already stays in sight; only words that stand for a while are said.
  const slow = setTimeout(() => say(isReady ? words.searching : words.loading), SLOW);
  try {
    const pagefind = await loadPagefind();
    isReady = true;
    await find(pagefind, term);
  } catch {
    list.replaceChildren();
    say('');
    failed.hidden = false;
  } finally {
    clearTimeout(slow);
  }
}

function walk(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops: HTMLElement[] = [input, ...list.querySelectorAll('a')];
  const { activeElement: active } = document;
  const at = active instanceof HTMLElement ? stops.indexOf(active) : -1;
  const next = stops[(at + (event.key === 'ArrowDown' ? 1 : -1) + stops.length) % stops.length];
  event.preventDefault();
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

dialog.addEventListener('keydown', walk);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') list.querySelector('a')?.click();
  // A search field would only be emptied by it.
  if (event.key === 'Escape') dialog.close();
});
input.addEventListener('input', () => void run());
retry.addEventListener('click', () => void run());
// A link to a place on the same page loads nothing that would close the dialog.
dialog.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('a')) dialog.close();
});

/** Opens the search, or closes it where it is open. Another dialog is not covered: the day's terms least of all. */
export function toggleSearch(): void {
  if (dialog.open) {
    dialog.close();
    return;
  }
  if (document.querySelector('dialog:modal')) return;
  dialog.showModal();
  input.select();
  // The index is loaded while the first word is typed; whether it failed is said when a search needs it.
  void loadPagefind().catch(() => undefined);
  void run();
}
