/** Opens the category or question that the URL fragment names. If a search hides it, clears the search first. */
function openLinkedQuestion(): void {
  const linkedElement = document.getElementById(location.hash.slice(1));
  const category = linkedElement?.closest<HTMLDetailsElement>(
    '[data-faq-category], [data-faq-close-matches]',
  );
  if (!linkedElement || !category) return;
  const input = document.querySelector<HTMLInputElement>('[data-faq-search] input');
  if (input && linkedElement.closest('[hidden]')) {
    input.value = '';
    input.dispatchEvent(new Event('input'));
  }
  category.open = true;
  if (linkedElement instanceof HTMLDetailsElement) linkedElement.open = true;
  linkedElement.scrollIntoView();
}

async function markCurrentCategory(): Promise<void> {
  const { markCurrentSection } = await import('../page/current-section.ts');
  markCurrentSection(document.querySelectorAll<HTMLElement>('[data-faq-index]'));
}

export function startFaqPage(): void {
  // No category is current until the page is scrolled.
  if (scrollY > 0) void markCurrentCategory();
  else addEventListener('scroll', markCurrentCategory, { once: true, passive: true });
  openLinkedQuestion();
  addEventListener('hashchange', openLinkedQuestion);
  const input = document.querySelector<HTMLInputElement>('[data-faq-search] input');
  if (!input) return;
  const earlyInputController = new AbortController();
  const loadSearch = async () => {
    const { startFaqSearch } = await import('./faq-search.ts');
    if (!earlyInputController.signal.aborted) startFaqSearch(input);
    earlyInputController.abort();
  };
  // If loading fails, the next focus or input retries it.
  for (const event of ['focus', 'input'])
    input.addEventListener(event, loadSearch, { signal: earlyInputController.signal });
  // The browser keeps what was typed before a reload.
  if (input.value !== '') void loadSearch();
}
