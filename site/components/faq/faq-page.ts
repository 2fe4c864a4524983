/** Opens the category or question that the URL fragment names. */
function openLinkedQuestion(): void {
  const linkedElement = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const category = linkedElement?.closest<HTMLDetailsElement>('[data-faq-category]');
  if (!linkedElement || !category) return;
  category.open = true;
  if (linkedElement instanceof HTMLDetailsElement) linkedElement.open = true;
  linkedElement.scrollIntoView();
}

async function followCategories(): Promise<void> {
  const { followSections } = await import('../page/current-section.ts');
  followSections(document.querySelectorAll<HTMLElement>('[data-faq-index]'));
}

/** Opens the question in the URL, and loads the search when the visitor first uses it. */
export function startFaqPage(): void {
  // Until the page has scrolled, no category is current.
  if (scrollY > 0) void followCategories();
  else addEventListener('scroll', followCategories, { once: true, passive: true });
  openLinkedQuestion();
  addEventListener('hashchange', openLinkedQuestion);
  const input = document.querySelector<HTMLInputElement>('[data-faq-search] input');
  if (!input) return;
  const earlyInput = new AbortController();
  const load = async () => {
    const { startFaqSearch } = await import('./faq-search.ts');
    if (!earlyInput.signal.aborted) startFaqSearch(input);
    earlyInput.abort();
  };
  // If loading fails, the next input retries it.
  for (const event of ['focus', 'input']) input.addEventListener(event, load, { signal: earlyInput.signal });
  // The browser keeps what was typed before a reload.
  if (input.value !== '') void load();
}
