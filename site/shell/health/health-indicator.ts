import * as PATHS from '../../../data/contract/paths.ts';
import { onLiveChange } from '../../data/live-change-event.ts';
import { request } from '../../data/request.ts';
import { readStored, writeStored } from '../browser-storage.ts';
import { createElement, findPart } from '../elements.ts';
import {
  endpointRows,
  type NetworkHealth,
  type NetworkState,
  networkStateOf,
  offlineAfter,
  STATUS_LABELS,
  summary,
} from './network-state.ts';

const ICON =
  '<svg class="icon" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4.5"/><path class="half" d="M6 1.5a4.5 4.5 0 0 0 0 9Z"/><circle class="full" cx="6" cy="6" r="4.5"/></svg>';

const INDICATOR = `<button class="open" type="button" popovertarget="network-details">${ICON}<span class="label"></span></button><button class="hide" type="button" aria-label="Hide network status"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 6l8 8M14 6l-8 8"/></svg></button><span class="change visually-hidden" role="status"></span>`;

const DETAILS = `<h2 id="network-title">Network</h2><p class="state">${ICON}<span class="label"></span></p><p class="summary"></p><table><thead><tr><th scope="col">Endpoint</th><th scope="col">State</th><th scope="col">Latency</th><th scope="col">Behind</th></tr></thead><tbody></tbody></table>`;

function rows({ health }: NetworkState): readonly HTMLTableRowElement[] {
  return (health ? endpointRows(health) : []).map(({ name, state, latency, lag }) => {
    const head = createElement('th', '', name);
    head.scope = 'row';
    const cells = [state, latency, lag].map((text) => createElement('td', '', text));
    return createElement('tr', '', head, ...cells);
  });
}

/** Creates the indicator and its popover, which has one row per endpoint, without adding them to the page. */
function createHealthView() {
  const indicator = createElement('div', 'health');
  indicator.innerHTML = INDICATOR;
  const details = createElement('div', 'network-details');
  details.innerHTML = DETAILS;
  details.id = 'network-details';
  details.popover = 'auto';
  details.setAttribute('role', 'dialog');
  details.setAttribute('aria-labelledby', 'network-title');
  const labels = [indicator, details].map((root) => findPart(root, '.label'));

  return {
    indicator,
    details,
    show: (state: NetworkState) => {
      const isFirst = indicator.dataset.status === undefined;
      indicator.dataset.status = state.status;
      details.dataset.status = state.status;
      const text = STATUS_LABELS[state.status];
      // Screen readers announce changes, not the first state.
      if (!isFirst && labels[0]?.textContent !== text) findPart(indicator, '.change').textContent = text;
      for (const label of labels) label.textContent = text;
      findPart(details, '.summary').textContent = summary(state);
      findPart(details, 'table').hidden = !state.health?.endpoints.length;
      findPart(details, 'tbody').replaceChildren(...rows(state));
    },
  };
}

/** Milliseconds between two reads. */
const INTERVAL = 30_000;

/**
 * Calls `onState` with the network's state now and at intervals. An update from the event stream restarts the interval. A
 * hidden page does not read, and reads as soon as it is visible.
 */
function watchNetwork(onState: (state: NetworkState) => void): void {
  let state: NetworkState | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const report = (next: NetworkState) => {
    state = next;
    onState(next);
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(read, INTERVAL);
  };

  async function read(): Promise<void> {
    clearTimeout(timer);
    try {
      const response = await request('GET', PATHS.networkHealth, { signal: AbortSignal.timeout(INTERVAL) });
      const health: NetworkHealth = await response.json();
      report(networkStateOf(health));
    } catch {
      report(offlineAfter(state));
    }
  }

  onLiveChange(({ bodies }) => {
    const health = bodies[PATHS.networkHealth];
    // The API's responses are tested against the contract.
    if (health) report(networkStateOf(health as NetworkHealth));
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) void read();
  });
  void read();
}

/** Key in session storage; set while the visitor hides the indicator. */
const DISMISSED_KEY = 'networkStatusDismissed';

/** Shows the network's health in the corner. When hidden, a button in the footer shows it again. */
export function startHealthIndicator(): void {
  const corner = document.querySelector('[data-corner]');
  const reopen = document.querySelector<HTMLElement>('[data-health-reopen]');
  if (!corner || !reopen) return;
  const { indicator, details, show } = createHealthView();

  const setDismissed = (isDismissed: boolean) => {
    indicator.hidden = isDismissed;
    reopen.hidden = !isDismissed;
    writeStored('sessionStorage', DISMISSED_KEY, isDismissed ? 'yes' : null);
  };
  watchNetwork((state) => {
    show(state);
    if (indicator.isConnected) return;
    corner.append(indicator, details);
    setDismissed(readStored('sessionStorage', DISMISSED_KEY) !== null);
  });
  indicator.querySelector('.hide')?.addEventListener('click', () => {
    details.hidePopover();
    setDismissed(true);
    reopen.focus({ preventScroll: true });
  });
  reopen.addEventListener('click', () => {
    setDismissed(false);
    indicator.querySelector<HTMLElement>('.open')?.focus();
  });
}
