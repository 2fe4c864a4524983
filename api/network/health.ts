import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth, PublicCluster } from '../../data/contract/network.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import {
  ageState,
  FRESHNESS,
  isClockOff,
  MAX_SLOT_DISTANCE,
  nextStateChange,
  REPORT_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { EndpointHealth, IndexSnapshot } from '../../data/store/ports.ts';

/** Genesis hashes of the public clusters (https://docs.anza.xyz/clusters/available). */
const CLUSTER_BY_GENESIS: ReadonlyMap<string, PublicCluster> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
]);

function clusterOf(index: IndexSnapshot, chain: ChainName): PublicCluster | null {
  if (chain === 'embedded-ledger' || index.identity === null) return null;
  return CLUSTER_BY_GENESIS.get(index.identity.genesisHash) ?? null;
}

export type NetworkHealth = ResponseOf<typeof networkHealth>;

/** The state of the indexer's report; stale if there is none or its time is in the future. */
function reportState({ endpointsReportedAt: at }: IndexSnapshot, now: number) {
  return at === null ? 'stale' : ageState(at, now, REPORT_FRESHNESS);
}

/** Whether the indexer's last report still counts. */
export function isReportCurrent(index: IndexSnapshot, now: number): boolean {
  return reportState(index, now) !== 'stale';
}

/** Whether the newest read slot is so old that the chain halted, or its accounts cannot be read. */
export function isChainStalled({ readAt }: { readonly readAt: number }, now: number): boolean {
  return ageState(readAt, now, FRESHNESS.chain) !== 'live';
}

function stakesProblemOf({ chain }: IndexSnapshot): string | null {
  return chain?.stakesProblem ?? null;
}

/** Slots by which active endpoints are behind the newest; only those that are too far behind. */
export function slotsBehind({ endpoints }: Pick<IndexSnapshot, 'endpoints'>): readonly number[] {
  return endpoints.flatMap(({ active, slotLag }) =>
    active && (slotLag ?? 0) > MAX_SLOT_DISTANCE ? [slotLag ?? 0] : [],
  );
}

function statusOf(index: IndexSnapshot, active: number, now: number): NetworkHealth['status'] {
  if (active === 0) return 'offline';
  const isComplete = active === index.endpoints.length && reportState(index, now) === 'live';
  const isWhole =
    isComplete &&
    stakesProblemOf(index) === null &&
    !index.chain?.vaultProblem &&
    slotsBehind(index).length === 0;
  const isClockRight = !isClockOff(index.chain?.clockDifference ?? null);
  return isWhole && isClockRight && !(index.chain && isChainStalled(index.chain, now))
    ? 'healthy'
    : 'degraded';
}

/** The host's time minus the chain's, in seconds. */
function clockDifferenceOf({ chain }: IndexSnapshot): number | null {
  return chain?.clockDifference == null ? null : Math.round(chain.clockDifference / 1_000);
}

/** The lag behind the newest endpoint that answers; unknown if none answers. */
function knownLag({ slotLag }: EndpointHealth, active: number): number | null {
  return active > 0 ? slotLag : null;
}

/**
 * Health of the endpoints. Healthy: all are active, the report is fresh, the stakes can be read and the chain advances.
 * Degraded: some are inactive or far behind, the report ages, the stakes cannot be read, the chain stalls or a clock is off. Offline: none is active, or the last report is stale or in the future; then no endpoint counts as active, and latency and lag are unknown.
 */
export function networkHealthBody(index: IndexSnapshot, chain: ChainName, now: number): NetworkHealth {
  const reportedAt = index.endpointsReportedAt;
  const isCurrent = isReportCurrent(index, now);
  const active = isCurrent ? index.endpoints.filter((endpoint) => endpoint.active).length : 0;
  const endpoints = index.endpoints.map((endpoint) => ({
    name: endpoint.name,
    active: isCurrent && endpoint.active,
    state: isCurrent ? endpoint.state : null,
    latencyMs: isCurrent ? endpoint.latencyMs : null,
    slot: endpoint.slot,
    slotLag: knownLag(endpoint, active),
    requestCount: endpoint.requestCount,
    errorCount: endpoint.errorCount,
    lastError: endpoint.lastError,
  }));
  return {
    chain,
    cluster: clusterOf(index, chain),
    status: statusOf(index, active, now),
    activeEndpoints: active,
    totalEndpoints: endpoints.length,
    lastUpdate: reportedAt === null ? null : new Date(reportedAt).toISOString(),
    errorCount: endpoints.reduce((sum, endpoint) => sum + endpoint.errorCount, 0),
    slot: index.chain?.slot ?? null,
    clockDifferenceSeconds: clockDifferenceOf(index),
    vaultProblem: index.chain?.vaultProblem ?? null,
    stakesProblem: stakesProblemOf(index),
    unreadStakeEntries: index.chain?.unreadEntries ?? 0,
    endpoints,
  };
}

/** The parts of a health body that count as a change. Slots, latencies and request counts always move. */
export function networkHealthFingerprint(body: NetworkHealth): unknown {
  return [
    body.cluster,
    body.status,
    body.errorCount,
    body.vaultProblem,
    body.stakesProblem,
    body.unreadStakeEntries,
    body.endpoints.map(({ name, active, state, errorCount, lastError }) => [
      name,
      active,
      state,
      errorCount,
      lastError,
    ]),
  ];
}

/** The next time (Unix ms) after `now` at which the health changes without a new report; null if never. */
export function nextHealthChange(reportedAt: number | null, now: number): number | null {
  return reportedAt === null ? null : nextStateChange(reportedAt, now, REPORT_FRESHNESS);
}
