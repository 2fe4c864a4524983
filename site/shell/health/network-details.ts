import { t } from '../../../data/model/locale.ts';
import type { NetworkState } from '../../data/connection.ts';
import { createElement } from '../elements.ts';
import { endpointRows, summary } from './network-state.ts';

const COLUMNS = ['Endpoint', 'State', 'Latency', 'Behind'];

function headCell(text: string, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = createElement('th', '', text);
  cell.scope = scope;
  return cell;
}

/** A sentence about the network, and a table with one row per endpoint if there is a report. */
export function networkDetails(network: NetworkState): readonly Node[] {
  const { isReachable, health } = network;
  const text = createElement('p', 'summary', summary(network));
  const endpoints = isReachable && health ? endpointRows(health) : [];
  if (endpoints.length === 0) return [text];
  const rows = endpoints.map(({ name, state, latency, lag }) => {
    const cells = [state, latency, lag].map((one) => createElement('td', '', one));
    return createElement('tr', '', headCell(name, 'row'), ...cells);
  });
  const columns = COLUMNS.map((column) => headCell(t(column), 'col'));
  const head = createElement('thead', '', createElement('tr', '', ...columns));
  return [text, createElement('table', '', head, createElement('tbody', '', ...rows))];
}
