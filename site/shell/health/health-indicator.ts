import * as PATHS from '../../../data/contract/paths.ts';
import { t } from '../../../data/model/locale.ts';
import {
  $network,
  $streamState,
  type NetworkHealth,
  type NetworkState,
  recordHealth,
  recordUnreachable,
} from '../../data/connection.ts';
import { request } from '../../data/request.ts';
import { readStored, writeStored } from '../browser-storage.ts';
import { createElement, requireElement } from '../elements.ts';
import { STATUS_LABELS } from './status-labels.ts';

const ALERT_HTML =
  '<button class="open" type="button" popovertarget="network-details"><span class="label"></span></button><button class="hide" type="button" ><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 6l8 8M14 6l-8 8"/></svg></button>';

const DETAILS_HTML =
  '<h2 id="network-title"></h2><p class="state" data-health><span class="label"></span></p><div></div>';

function addHealthElements(bar: Element) {
  const alert = createElement('div', 'health');
  alert.innerHTML = ALERT_HTML;
  alert.hidden = true;
  alert.dataset.health = alert.dataset.healthAlert = '';
  const details = createElement('div', 'network-details');
  details.innerHTML = DETAILS_HTML;
  requireElement(details, 'h2').textContent = t('Network');
  requireElement(alert, '.hide').ariaLabel = t('Hide network status');
  details.id = 'network-details';
  details.popover = 'auto';
  details.setAttribute('role', 'dialog');
  details.setAttribute('aria-labelledby', 'network-title');
  const announcement = createElement('span', 'visually-hidden');
  announcement.setAttribute('role', 'status');
  requireElement(bar, '.actions').before(alert);
  bar.append(announcement, details);
  return { alert, details, announcement };
}

const POLL_INTERVAL_MS = 30_000;
const TIMEOUT_MS = 5_000;

/**
 * Reads the network's health now, at intervals, and as soon as the connection changes. An update from the event stream
 * restarts the interval. A hidden page does not read until it is visible again.
 */
function watchNetwork(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      const response = await request('GET', PATHS.networkHealth, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      // Not validated here, because tests check the API's responses against the contract.
      recordHealth((await response.json()) as NetworkHealth);
    } catch {
      recordUnreachable();
    }
  }

  $network.listen((network, before) => {
    // Only a report or a failed read restarts the interval, not a change in the stream's state.
    if (network?.health === before?.health && network?.errorCount === before?.errorCount) return;
    clearTimeout(timer);
    timer = setTimeout(read, POLL_INTERVAL_MS);
  });
  $streamState.listen((stream) => {
    // The stream does not replace these reads: when it reopens, it sends the report only if the report has changed.
    if (stream === 'reconnecting' || $network.get()?.isReachable === false) void read();
  });
  for (const type of ['offline', 'online']) addEventListener(type, () => void read());
  document.addEventListener('visibilitychange', () => void read());
  void read();
}

/** The session storage key that is set while the visitor has hidden the alert. */
const DISMISSED_KEY = 'networkStatusDismissed';

export function startHealthIndicator(): void {
  const bar = document.querySelector('[data-corner]');
  const reopenButton = document.querySelector<HTMLElement>('[data-health-reopen]');
  if (!bar || !reopenButton) return;
  const { alert, details, announcement } = addHealthElements(bar);
  let isDismissed = readStored('sessionStorage', DISMISSED_KEY) !== null;

  const draw = async () => {
    const { networkDetails } = await import('./network-details.ts');
    const network = $network.get();
    if (network) requireElement(details, 'div').replaceChildren(...networkDetails(network));
  };
  details.addEventListener('beforetoggle', ({ newState }) => {
    if (newState === 'open') void draw();
  });
  const show = (network: NetworkState | null, before?: NetworkState | null) => {
    if (!network) return;
    const { status } = network;
    const text = t(STATUS_LABELS[status]);
    for (const element of document.querySelectorAll<HTMLElement>('[data-health]')) {
      element.dataset.health = status;
      requireElement(element, '.label').textContent = text;
    }
    // Screen readers announce changes of the status, not the initial status.
    if (before && before.status !== status) announcement.textContent = text;
    const hasProblem = status !== 'healthy';
    alert.hidden = !hasProblem || isDismissed;
    reopenButton.hidden = !hasProblem || !isDismissed;
    if (details.matches(':popover-open')) void draw();
  };
  const setDismissed = (next: boolean) => {
    isDismissed = next;
    writeStored('sessionStorage', DISMISSED_KEY, next ? 'yes' : null);
    show($network.get());
  };
  $network.subscribe(show);
  requireElement(alert, '.hide').addEventListener('click', () => {
    details.hidePopover();
    setDismissed(true);
    reopenButton.focus({ preventScroll: true });
  });
  reopenButton.addEventListener('click', () => {
    setDismissed(false);
    requireElement(alert, '.open').focus();
  });
  watchNetwork();
}
