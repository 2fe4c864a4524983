import type { ResponseOf } from '../../../data/contract/call.ts';
import type { networkHealth } from '../../../data/contract/network.ts';
import { formatCount } from '../../../data/model/count.ts';

export type NetworkHealth = ResponseOf<typeof networkHealth>;
type NetworkStatus = NetworkHealth['status'];

/** The state of the network as the page shows it. `errorCount` includes the page's own failed reads. */
export interface NetworkState {
  readonly status: NetworkStatus;
  readonly errorCount: number;
  /** The last report; null before the first one and after a failed read. */
  readonly health: NetworkHealth | null;
}

export const STATUS_LABELS: Readonly<Record<NetworkStatus, string>> = {
  healthy: 'All Systems Operational',
  degraded: 'Limited Connectivity',
  offline: 'Connection Issues',
};

export function networkStateOf(health: NetworkHealth): NetworkState {
  return { status: health.status, errorCount: health.errorCount, health };
}

/** The state after a failed read: offline, with one more error. */
export function offlineAfter(before: NetworkState | null): NetworkState {
  return { status: 'offline', errorCount: (before?.errorCount ?? 0) + 1, health: null };
}

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

/** The cells of each endpoint's row. The lag is how far it is behind the newest endpoint. */
export function endpointRows({ endpoints }: NetworkHealth) {
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    state: stateText(endpoint),
    latency: endpoint.latencyMs === null ? UNKNOWN : `${Math.round(endpoint.latencyMs)} ms`,
    lag: lagText(endpoint.slotLag),
  }));
}

/** The sentence above the endpoints. */
export function summary({ health, errorCount }: NetworkState): string {
  const errors = errorCount === 1 ? '1 failed request' : `${formatCount(errorCount)} failed requests`;
  if (!health) return `The portal cannot be reached. ${errors}.`;
  const { activeEndpoints, totalEndpoints, chain } = health;
  const what = chain === 'solana' ? 'Solana' : 'demo ledger';
  return `${activeEndpoints} of ${totalEndpoints} ${what} endpoints are responding. ${errors} recently.`;
}
