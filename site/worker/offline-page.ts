/** Milliseconds between two attempts to load the page: the first pause and the longest. */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 30_000;

/** Loads the requested page once the server responds, and lists only stored pages until then. */
export function startOfflinePage(): void {
  document.querySelector('[data-reload]')?.addEventListener('click', () => location.reload());
  // If the URL is `/offline`, there is no other page to load.
  if (location.pathname !== '/offline') returnWhenOnline();
  void hideMissing();
}

/**
 * Polls the server. The browser's `online` event is not enough: it may fire before the connection works, and never fires
 * when only the server was unreachable.
 */
function returnWhenOnline(): void {
  let wait = FIRST_WAIT;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function retry(): Promise<void> {
    clearTimeout(timer);
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    const responds = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
      () => true,
      () => false,
    );
    if (responds) return location.reload();
    if (!document.hidden) timer = setTimeout(retry, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  const retrySoon = () => {
    wait = FIRST_WAIT;
    void retry();
  };
  addEventListener('online', retrySoon);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) retrySoon();
  });
  timer = setTimeout(retry, wait);
}

async function hideMissing(): Promise<void> {
  if (!('caches' in window)) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-stored] a')) {
    const file = link.pathname === '/' ? '/index.html' : `${link.pathname}.html`;
    const stored = await caches.match(file, { ignoreSearch: true });
    link.parentElement?.toggleAttribute('hidden', !stored && !navigator.onLine);
  }
}
