/** Has the official addresses read once a visitor comes near them. */
export function startAddresses(): void {
  const list = document.querySelector<HTMLElement>('[data-addresses]');
  if (!list) return;
  const watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      void import('./official-addresses.ts').then(({ keepAddresses }) => keepAddresses(list));
    },
    { rootMargin: '100px' },
  );
  watch.observe(list);
}
