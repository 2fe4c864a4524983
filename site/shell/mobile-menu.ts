/** Opens and closes the full-screen menu. The dialog itself keeps the focus inside and closes on Escape. */
export function startMobileMenu(): void {
  const menu = document.querySelector<HTMLDialogElement>('#site-menu');
  const opener = document.querySelector<HTMLButtonElement>('[data-menu-open]');
  if (!menu || !opener) return;
  opener.addEventListener('click', () => {
    menu.showModal();
    opener.setAttribute('aria-expanded', 'true');
  });
  menu.querySelector('[data-menu-close]')?.addEventListener('click', () => menu.close());
  menu.addEventListener('close', () => opener.setAttribute('aria-expanded', 'false'));
  // A turned tablet shows the full header, which has no button to close the menu with.
  matchMedia('(min-width: 1080px)').addEventListener('change', (wide) => {
    if (wide.matches && menu.open) menu.close();
  });
}
