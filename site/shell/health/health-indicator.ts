import * as PATHS from '../../../data/contract/paths.ts';
import { onLiveChange } from '../../data/live-change-event.ts';
import { request } from '../../data/request.ts';
import {
  endpointRows,
  type NetworkHealth,
  type NetworkState,
  networkStateOf,
  offlineAfter,
  STATUS_LABELS,
  summary,
} from './network-state.ts';

const SIGN =
  '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4.5"/><path class="half" d="M6 1.5a4.5 4.5 0 0 0 0 9Z"/><circle class="full" cx="6" cy="6" r="4.5"/></svg>';

const INDICATOR = `<button class="open" type="button" popovertarget="network-details">${SIGN}<span class="label"></span></button><button class="hide" type="button" aria-label="Hide network status"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 6l8 8M14 6l-8 8"/></svg></button><span class="news visually-hidden" role="status"></span>`;

const DETAILS = `<h2 id="network-title">Network</h2><p class="state">${SIGN}<span class="label"></span></p><p class="line"></p><table><thead><tr><th scope="col">Endpoint</th><th scope="col">State</th><th scope="col">Latency</th><th scope="col">Behind</th></tr></thead><tbody></tbody></table>`;

function element(className: string, html: string): HTMLElement {
  const created = document.createElement('div');
  created.className = className;
  created.innerHTML = html;
  return created;
}

function part(root: HTMLElement, selector: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`The network status has no ${selector}.`);
  return found;
}

function rows({ health }: NetworkState): readonly HTMLTableRowElement[] {
  return (health ? endpointRows(health) : []).map(({ name, state, latency, lag }) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    for (const text of [state, latency, lag]) row.insertCell().textContent = text;
    return row;
  });
}

/** Creates the indicator and its popover, which has one row per endpoint, without adding them to the page. */
function createHealthView() {
  const indicator = element('health', INDICATOR);
  const details = element('network-details', DETAILS);
  details.id = 'network-details';
  details.popover = 'auto';
  details.setAttribute('role', 'dialog');
  details.setAttribute('aria-labelledby', 'network-title');
  const labels = [part(indicator, '.label'), part(details, '.label')];

  return {
    indicator,
    details,
    show: (state: NetworkState) => {
      const isFirst = indicator.dataset.status === undefined;
      indicator.dataset.status = state.status;
      details.dataset.status = state.status;
      const text = STATUS_LABELS[state.status];
      // Screen readers hear changes, not the first state.
      if (!isFirst && labels[0]?.textContent !== text) part(indicator, '.news').textContent = text;
      for (const label of labels) label.textContent = text;
      part(details, '.line').textContent = summary(state);
      part(details, 'table').hidden = !state.health?.endpoints.length;
      part(details, 'tbody').replaceChildren(...rows(state));
    },
  };
}

/** Milliseconds between two reads. */
const INTERVAL = 30_000;

/**
 * Reads the network's health at once and at intervals, and calls `onState` with each state. A body from the event
 * stream counts as a read. A hidden page pauses and reads as soon as it is visible.
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
    // Comes from this portal's API, which follows the contract.
    if (health) report(networkStateOf(health as NetworkHealth));
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) void read();
  });
  void read();
}

/** Key in the tab's storage; set while the visitor hides the indicator. */
const DISMISSED_KEY = 'networkStatusDismissed';

function wasDismissed(): boolean {
  try {
    return sessionStorage.getItem(DISMISSED_KEY) !== null;
  } catch {
    return false;
  }
}

function storeDismissed(isDismissed: boolean): void {
  try {
    if (isDismissed) sessionStorage.setItem(DISMISSED_KEY, 'yes');
    else sessionStorage.removeItem(DISMISSED_KEY);
  } catch {
    // Without storage the choice lasts until the page closes.
  }
}

/** Shows the network's health in the corner. When hidden, a button in the footer shows it again. */
export function startHealthIndicator(): void {
  const corner = document.querySelector('[data-corner]');
  const reopen = document.querySelector<HTMLElement>('[data-health-reopen]');
  if (!corner || !reopen) return;
  const { indicator, details, show } = createHealthView();

  const showDismissed = (isDismissed: boolean) => {
    indicator.hidden = isDismissed;
    reopen.hidden = !isDismissed;
  };
  watchNetwork((state) => {
    show(state);
    if (indicator.isConnected) return;
    corner.append(indicator, details);
    showDismissed(wasDismissed());
  });
  indicator.querySelector('.hide')?.addEventListener('click', () => {
    details.hidePopover();
    storeDismissed(true);
    showDismissed(true);
    reopen.focus({ preventScroll: true });
  });
  reopen.addEventListener('click', () => {
    storeDismissed(false);
    showDismissed(false);
    indicator.querySelector<HTMLElement>('.open')?.focus();
  });
}
