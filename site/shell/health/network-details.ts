import { t } from '../../../data/model/locale.ts';
import type { NetworkState } from '../../data/connection.ts';
import { createElement } from '../elements.ts';
import { endpointRows, summaryText } from './network-state.ts';

const COLUMNS = ['Endpoint', 'State', 'Latency', 'Behind'];

function headCell(text: string, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = createElement('th', '', text);
  cell.scope = scope;
  return cell;
}

/** A sentence about the network, and a table with one row per endpoint if there is a report. */
export function networkDetails(network: NetworkState): readonly Node[] {
  const { isReachable, health } = network;
  const sentence = createElement('p', 'summary', summaryText(network));
  const endpoints = isReachable && health ? endpointRows(health) : [];
  if (endpoints.length === 0) return [sentence];
  const rows = endpoints.map(({ name, state, latency, lag }) => {
    const cells = [state, latency, lag].map((one) => createElement('td', '', one));
    return createElement('tr', '', headCell(name, 'row'), ...cells);
  });
  const columns = COLUMNS.map((column) => headCell(t(column), 'col'));
  const tableHead = createElement('thead', '', createElement('tr', '', ...columns));
  return [sentence, createElement('table', '', tableHead, createElement('tbody', '', ...rows))];
}
