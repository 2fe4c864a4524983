/** Milliseconds before the page that was asked for is looked for again: at first, and at most. */
const FIRST_LOOK = 2_000;
const LONGEST_WAIT = 30_000;

/** Loads the page that was asked for once there is a connection again, and offers only pages that are stored. */
export function startOfflinePage(): void {
  document.querySelector('[data-reload]')?.addEventListener('click', () => location.reload());
  // The offline page may also be opened by its own address, which leads nowhere else.
  if (location.pathname !== '/offline') returnWhenOnline();
  void hideMissing();
}

/**
 * Asks the server itself: a device often says that it is online before its line carries anything, and one whose server
 * was out of reach never says that it is back.
 */
function returnWhenOnline(): void {
  let wait = FIRST_LOOK;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    clearTimeout(timer);
    const signal = AbortSignal.timeout(LONGEST_WAIT);
    const answers = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
      () => true,
      () => false,
    );
    if (answers) return location.reload();
    if (!document.hidden) timer = setTimeout(look, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  const lookSoon = () => {
    wait = FIRST_LOOK;
    void look();
  };
  addEventListener('online', lookSoon);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) lookSoon();
  });
  timer = setTimeout(look, wait);
}

async function hideMissing(): Promise<void> {
  if (!('caches' in window)) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-stored] a')) {
    const stored = await caches.match(`${link.pathname}.html`, { ignoreSearch: true });
    link.parentElement?.toggleAttribute('hidden', !stored && !navigator.onLine);
  }
}
