import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth, PublicCluster } from '../../data/contract/network.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import {
  ageState,
  FRESHNESS,
  isClockOff,
  MAX_SLOT_DISTANCE,
  REPORT_FRESHNESS,
} from '../../data/model/value-state.ts';
import type { IndexSnapshot } from '../../data/store/ports.ts';
import { isHistoryBehind } from '../metrics/event-history.ts';

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

/** The state of the endpoint report by its age. Also `stale` if there is no report, or if its time is in the future. */
function reportState({ endpointsReportedAt: at }: IndexSnapshot, now: number) {
  return at === null ? 'stale' : ageState(at, now, REPORT_FRESHNESS);
}

export function isReportCurrent(index: IndexSnapshot, now: number): boolean {
  return reportState(index, now) !== 'stale';
}

/** True if the snapshot is old: either the chain has halted, or its accounts cannot be read. */
export function isChainStalled({ readAt }: { readonly readAt: number }, now: number): boolean {
  return ageState(readAt, now, FRESHNESS.chain) !== 'live';
}

/** The slot lags of the active endpoints that are more than `MAX_SLOT_DISTANCE` behind. */
export function excessiveSlotLags({ endpoints }: IndexSnapshot): readonly number[] {
  return endpoints
    .map(({ active, slotLag }) => (active ? (slotLag ?? 0) : 0))
    .filter((lag) => lag > MAX_SLOT_DISTANCE);
}

function statusOf(index: IndexSnapshot, activeCount: number, now: number): NetworkHealth['status'] {
  const { chain, endpoints } = index;
  if (activeCount === 0) return 'offline';
  const isDegraded =
    activeCount < endpoints.length ||
    reportState(index, now) !== 'live' ||
    excessiveSlotLags(index).length > 0 ||
    isClockOff(chain?.clockDifference ?? null) ||
    isHistoryBehind(index) ||
    (chain && (chain.stakesProblem !== null || chain.vaultProblem || isChainStalled(chain, now)));
  return isDegraded ? 'degraded' : 'healthy';
}

/**
 * Health of the endpoints. Offline: no endpoint is active. If the last report is stale or in the future, no endpoint counts
 * as active, and latency and lag are unknown. Degraded: an endpoint is inactive or far behind, the report ages, the
 * stakes or the vault cannot be read, the histories no longer follow the accounts, the chain stalls, or a clock is off.
 * Healthy: none of these.
 */
export function networkHealthBody(index: IndexSnapshot, chain: ChainName, now: number): NetworkHealth {
  const { chain: snapshot, endpointsReportedAt: reportedAt } = index;
  const clockDifference = snapshot?.clockDifference ?? null;
  const isCurrent = isReportCurrent(index, now);
  const activeCount = isCurrent ? index.endpoints.filter((endpoint) => endpoint.active).length : 0;
  const endpoints = index.endpoints.map((endpoint) => ({
    name: endpoint.name,
    active: isCurrent && endpoint.active,
    state: isCurrent ? endpoint.state : null,
    latencyMs: isCurrent ? endpoint.latencyMs : null,
    slot: endpoint.slot,
    slotLag: activeCount > 0 ? endpoint.slotLag : null,
    requestCount: endpoint.requestCount,
    errorCount: endpoint.errorCount,
    lastError: endpoint.lastError,
  }));
  return {
    chain,
    cluster: clusterOf(index, chain),
    status: statusOf(index, activeCount, now),
    activeEndpoints: activeCount,
    totalEndpoints: endpoints.length,
    lastUpdate: reportedAt === null ? null : new Date(reportedAt).toISOString(),
    errorCount: endpoints.reduce((sum, endpoint) => sum + endpoint.errorCount, 0),
    slot: snapshot?.slot ?? null,
    clockDifferenceSeconds: clockDifference === null ? null : Math.round(clockDifference / 1_000),
    vaultProblem: snapshot?.vaultProblem ?? null,
    stakesProblem: snapshot?.stakesProblem ?? null,
    unreadStakeEntries: snapshot?.unreadEntries ?? 0,
    endpoints,
  };
}

/**
 * The parts of a health body that count as a change of the figure. Slots, latencies and request counts are left out, because
 * they change all the time.
 */
export function networkHealthFingerprint(body: NetworkHealth): unknown {
  return [
    body.cluster,
    body.status,
    body.errorCount,
    body.vaultProblem,
    body.stakesProblem,
    body.unreadStakeEntries,
    body.endpoints.map((row) => [row.name, row.active, row.state, row.errorCount, row.lastError]),
  ];
}
