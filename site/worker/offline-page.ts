/** The first and the longest pause between two checks of whether the server responds, in milliseconds. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Loads the requested page once the server responds. If the browser is offline, hides the links to pages that are not
 * stored.
 */
export function startOfflinePage(): void {
  document.querySelector('[data-reload]')?.addEventListener('click', () => location.reload());
  // If the URL is `/offline`, there is no other page to load.
  if (location.pathname !== '/offline') returnWhenOnline();
  void hideMissingPages();
}

/**
 * Polls the server. The browser's `online` event is not enough: it may fire before the connection works, and never fires
 * when only the server was unreachable.
 */
function returnWhenOnline(): void {
  let waitMs = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function retry(): Promise<void> {
    clearTimeout(timer);
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    const responds = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
      () => true,
      () => false,
    );
    if (responds) return location.reload();
    if (!document.hidden) timer = setTimeout(retry, waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  const retrySoon = () => {
    waitMs = FIRST_WAIT_MS;
    void retry();
  };
  addEventListener('online', retrySoon);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) retrySoon();
  });
  timer = setTimeout(retry, waitMs);
}

async function hideMissingPages(): Promise<void> {
  if (!('caches' in window)) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-stored-pages] a')) {
    const file = link.pathname === '/' ? '/index.html' : `${link.pathname}.html`;
    const stored = await caches.match(file, { ignoreSearch: true });
    link.parentElement?.toggleAttribute('hidden', !stored && !navigator.onLine);
  }
}
