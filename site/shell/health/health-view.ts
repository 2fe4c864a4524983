import { endpointRows, type NetworkState, STATUS_LABELS, summary } from './network-state.ts';

const SIGN =
  '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4.5"/><path class="half" d="M6 1.5a4.5 4.5 0 0 0 0 9Z"/><circle class="full" cx="6" cy="6" r="4.5"/></svg>';

const INDICATOR = `<button class="open" type="button" popovertarget="network-details">${SIGN}<span class="label"></span></button><button class="away" type="button" aria-label="Put the network status away"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 6l8 8M14 6l-8 8"/></svg></button><span class="news visually-hidden" role="status"></span>`;

const DETAILS = `<h2 id="network-title">Network</h2><p class="state">${SIGN}<span class="label"></span></p><p class="line"></p><table><thead><tr><th scope="col">Endpoint</th><th scope="col">State</th><th scope="col">Latency</th><th scope="col">Behind</th></tr></thead><tbody></tbody></table>`;

export interface HealthView {
  /** The sign in the corner and its words. */
  readonly indicator: HTMLElement;
  /** A row an endpoint, behind the sign. */
  readonly details: HTMLElement;
  show(state: NetworkState): void;
}

function element(className: string, html: string): HTMLElement {
  const made = document.createElement('div');
  made.className = className;
  made.innerHTML = html;
  return made;
}

function part(of: HTMLElement, selector: string): HTMLElement {
  const found = of.querySelector<HTMLElement>(selector);
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

/** The two parts of the indicator, not yet on the page. */
export function createHealthView(): HealthView {
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
    show: (state) => {
      const isFirst = indicator.dataset.status === undefined;
      indicator.dataset.status = state.status;
      details.dataset.status = state.status;
      const text = STATUS_LABELS[state.status];
      // Changes are announced; how it stood when the page opened is no news.
      if (!isFirst && labels[0]?.textContent !== text) part(indicator, '.news').textContent = text;
      for (const label of labels) label.textContent = text;
      part(details, '.line').textContent = summary(state);
      part(details, 'table').hidden = !state.health?.endpoints.length;
      part(details, 'tbody').replaceChildren(...rows(state));
    },
  };
}
