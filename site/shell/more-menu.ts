/** Lets an open More menu close by a click elsewhere and by Escape, which gives the focus back to its summary. */
export function startMoreMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>('[data-more-menu]');
  if (!menu) return;
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false;
  });
}
