/** Opens the search by its button and by Ctrl or ⌘ with K. Everything else of it is loaded by the first of these. */
export function startSearch(): void {
  const open = async () => {
    const { toggleSearch } = await import('./search-dialog.ts');
    toggleSearch();
  };
  for (const button of document.querySelectorAll('[data-search-open]'))
    button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isAsked = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isAsked || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void open();
  });
}
