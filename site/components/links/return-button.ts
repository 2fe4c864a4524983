/** How long a visitor reads the links before the way back is offered. */
const SHOWN_AFTER = 3_000;
/** The key under which the page that a visitor left from is kept, in this site's own storage. */
const RETURN_KEY = 'returnAddress';

/** Shows the way back after three seconds, and keeps the page's address when a link leads elsewhere. */
export function startReturnButton(): void {
  const button = document.querySelector<HTMLElement>('[data-return]');
  if (button) setTimeout(() => button.removeAttribute('hidden'), SHOWN_AFTER);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[target=_blank]')) {
    link.addEventListener('click', keepReturnAddress);
  }
}

function keepReturnAddress(): void {
  try {
    sessionStorage.setItem(RETURN_KEY, location.pathname);
  } catch {
    // Storage is out of reach in some private windows; the way back is then the browser's own.
  }
}
