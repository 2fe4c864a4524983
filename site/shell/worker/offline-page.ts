/** Loads the page that was asked for once there is a connection again, and offers only pages that are stored. */
export function startOfflinePage(): void {
  document.querySelector('[data-reload]')?.addEventListener('click', () => location.reload());
  // The offline page may also be opened by its own address, which leads nowhere else.
  if (location.pathname !== '/offline') addEventListener('online', () => location.reload(), { once: true });
  void hideMissing();
}

async function hideMissing(): Promise<void> {
  if (!('caches' in window)) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-stored] a')) {
    const stored = await caches.match(`${link.pathname}.html`, { ignoreSearch: true });
    link.parentElement?.toggleAttribute('hidden', !stored && !navigator.onLine);
  }
}
