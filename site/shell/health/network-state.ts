import type { ResponseOf } from '../../../data/contract/call.ts';
import type { networkHealth } from '../../../data/contract/network.ts';
import { formatCount } from '../../../data/model/count.ts';

export type NetworkHealth = ResponseOf<typeof networkHealth>;
export type NetworkStatus = NetworkHealth['status'];

/** What the page knows of the network. `errorCount` counts the page's own failed reads too. */
export interface NetworkState {
  readonly status: NetworkStatus;
  readonly errorCount: number;
  /** The last answer; null before the first, and its endpoints are of no use once reading fails. */
  readonly health: NetworkHealth | null;
}

export const STATUS_LABELS: Readonly<Record<NetworkStatus, string>> = {
  healthy: 'All Systems Operational',
  degraded: 'Limited Connectivity',
  offline: 'Connection Issues',
};

export function stateOf(health: NetworkHealth): NetworkState {
  return { status: health.status, errorCount: health.errorCount, health };
}

/** A read that failed: offline, and one error more than before. */
export function afterFailure(before: NetworkState | null): NetworkState {
  return { status: 'offline', errorCount: (before?.errorCount ?? 0) + 1, health: null };
}

export interface EndpointRow {
  readonly name: string;
  readonly state: 'Answers' | 'Resting' | 'Put aside' | 'Silent';
  readonly latency: string;
  /** How far it is behind the endpoint that is furthest ahead. */
  readonly lag: string;
}

const NOT_KNOWN = '–';

function lagText(behind: number | null): string {
  if (behind === null) return NOT_KNOWN;
  if (behind === 0) return 'none';
  return behind === 1 ? '1 slot' : `${formatCount(behind)} slots`;
}

type Endpoint = NetworkHealth['endpoints'][number];

/** One that is not asked is told apart from one that does not answer. */
function stateText({ active, state }: Endpoint): EndpointRow['state'] {
  if (state === 'put-aside') return 'Put aside';
  if (state === 'resting') return 'Resting';
  return active ? 'Answers' : 'Silent';
}

/** One row an endpoint. */
export function endpointRows({ endpoints }: NetworkHealth): readonly EndpointRow[] {
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    state: stateText(endpoint),
    latency: endpoint.latencyMs === null ? NOT_KNOWN : `${Math.round(endpoint.latencyMs)} ms`,
    lag: lagText(endpoint.slotLag),
  }));
}

/** The sentence above the rows. */
export function summary({ health, errorCount }: NetworkState): string {
  const errors = errorCount === 1 ? '1 failed request' : `${formatCount(errorCount)} failed requests`;
  if (!health) return `The portal cannot be reached. ${errors}.`;
  const what = health.chain === 'solana' ? 'Solana' : 'the embedded demonstration ledger';
  return `${health.activeEndpoints} of ${health.totalEndpoints} endpoints of ${what} answer. ${errors} in five minutes.`;
}
