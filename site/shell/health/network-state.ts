import { formatCount } from '../../../data/model/count.ts';
import type { NetworkHealth, NetworkState } from '../../data/connection.ts';

export const STATUS_LABELS: Readonly<Record<NetworkState['status'], string>> = {
  healthy: 'All Systems Operational',
  degraded: 'Limited Connectivity',
  offline: 'Connection Issues',
};

const UNKNOWN = '–';

function lagText(behind: number | null): string {
  if (behind === null) return UNKNOWN;
  if (behind === 0) return 'In sync';
  return behind === 1 ? '1 slot' : `${formatCount(behind)} slots`;
}

type Endpoint = NetworkHealth['endpoints'][number];

function stateText({ active, state }: Endpoint): string {
  if (state === 'distrusted') return 'Removed';
  if (state === 'backoff') return 'Paused';
  return active ? 'Responding' : 'Not responding';
}

/** The cells of each endpoint's row. The lag is the number of slots behind the newest endpoint. */
export function endpointRows({ endpoints }: NetworkHealth) {
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    state: stateText(endpoint),
    latency: endpoint.latencyMs === null ? UNKNOWN : `${Math.round(endpoint.latencyMs)} ms`,
    lag: lagText(endpoint.slotLag),
  }));
}

/** The text above the table of endpoints. */
export function summary({ status, isReachable, health, errorCount }: NetworkState): string {
  const errors = errorCount === 1 ? '1 failed request' : `${formatCount(errorCount)} failed requests`;
  if (!isReachable || !health) return `The portal cannot be reached. ${errors}.`;
  const { activeEndpoints, totalEndpoints, chain } = health;
  const what = chain === 'solana' ? 'Solana' : 'demo ledger';
  const isStreamDown = status !== health.status;
  return `${isStreamDown ? 'Live updates are interrupted; figures refresh at intervals. ' : ''}${activeEndpoints} of ${totalEndpoints} ${what} endpoints are responding. ${errors} recently.`;
}
