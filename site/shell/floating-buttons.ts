/** Shows the floating buttons while the page's first 300 pixels are out of sight. */
export function startFloatingButtons(): void {
  const mark = document.querySelector('[data-far-mark]');
  const buttons = document.querySelector<HTMLElement>('[data-floating]');
  if (!mark || !buttons) return;
  new IntersectionObserver(([entry]) => {
    buttons.hidden = entry?.isIntersecting ?? true;
  }).observe(mark);
  buttons.querySelector('[data-to-top]')?.addEventListener('click', () => {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scrollTo({ top: 0, behavior: calm ? 'auto' : 'smooth' });
  });
}
