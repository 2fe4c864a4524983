import { createHealthView } from './health-view.ts';
import { watchNetwork } from './watch-network.ts';

/** The key under which it stands that a visitor put the indicator away, for as long as the tab is open. */
const DISMISSED_KEY = 'networkStatusDismissed';

function wasDismissed(): boolean {
  try {
    return sessionStorage.getItem(DISMISSED_KEY) !== null;
  } catch {
    return false;
  }
}

function keep(isDismissed: boolean): void {
  try {
    if (isDismissed) sessionStorage.setItem(DISMISSED_KEY, 'yes');
    else sessionStorage.removeItem(DISMISSED_KEY);
  } catch {
    // Storage is out of reach: the choice lasts as long as the page.
  }
}

/** Shows the network's health in the corner; put away, it leaves a button at the page's foot that brings it back. */
export function startHealthIndicator(): void {
  const corner = document.querySelector('[data-corner]');
  const reopen = document.querySelector<HTMLElement>('[data-health-reopen]');
  if (!corner || !reopen) return;
  const { indicator, details, show } = createHealthView();

  const place = (isDismissed: boolean) => {
    indicator.hidden = isDismissed;
    reopen.hidden = !isDismissed;
  };
  watchNetwork((state) => {
    show(state);
    if (indicator.isConnected) return;
    corner.append(indicator, details);
    place(wasDismissed());
  });
  indicator.querySelector('.away')?.addEventListener('click', () => {
    details.hidePopover();
    keep(true);
    place(true);
    reopen.focus({ preventScroll: true });
  });
  reopen.addEventListener('click', () => {
    keep(false);
    place(false);
    indicator.querySelector<HTMLElement>('.open')?.focus();
  });
}
