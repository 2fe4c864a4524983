import { writeStored } from '../../shell/browser-storage.ts';
import { whenNear } from '../../shell/elements.ts';

/** Milliseconds before the return button shows. */
const RETURN_BUTTON_DELAY = 3_000;
/** Session storage key of the page that the visitor left. */
const RETURN_KEY = 'returnAddress';

/** Shows the return button after a while, and stores the page's path when the visitor follows an external link. */
export function startReturnButton(): void {
  const button = document.querySelector<HTMLElement>('[data-return]');
  if (button) setTimeout(() => button.removeAttribute('hidden'), RETURN_BUTTON_DELAY);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[target=_blank]')) {
    link.addEventListener('click', () => writeStored('sessionStorage', RETURN_KEY, location.pathname));
  }
}

/** Loads the official addresses when they come near the viewport. */
export function startAddresses(): void {
  const list = document.querySelector<HTMLElement>('[data-addresses]');
  if (!list) return;
  whenNear(list, 100, () => {
    void import('./official-addresses.ts').then(({ startAddressUpdates }) => startAddressUpdates(list));
  });
}
