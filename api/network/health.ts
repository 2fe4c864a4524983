import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth, PublicCluster } from '../../data/contract/network.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { AHEAD_TOLERANCE, ageState, FRESHNESS, isAgeUnknown } from '../../data/model/value-state.ts';
import type { EndpointHealth, IndexSnapshot } from '../../data/store/ports.ts';

/** Age (ms) up to which the indexer's report counts as of now. */
export const REPORT_FRESH_MS = 30_000;
/** Age (ms) after which nothing is known any more. */
export const REPORT_LIMIT_MS = 60_000;

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

/** Age (ms) of the indexer's report of the endpoints; infinite where there is none, or it is one of the future. */
function reportAge({ endpointsReportedAt: at }: IndexSnapshot, now: number): number {
  return at === null || isAgeUnknown(now - at) ? Number.POSITIVE_INFINITY : now - at;
}

/** Whether what the indexer last said of the endpoints still counts. */
export function isReportOfNow(index: IndexSnapshot, now: number): boolean {
  return reportAge(index, now) <= REPORT_LIMIT_MS;
}

/** Whether no newer slot was read for so long that the chain stands still, or its accounts cannot be read. */
export function isChainStill({ readAt }: { readonly readAt: number }, now: number): boolean {
  return ageState(readAt, now, FRESHNESS.chain) !== 'live';
}

function statusOf(index: IndexSnapshot, active: number, now: number): NetworkHealth['status'] {
  if (active === 0) return 'offline';
  const isWhole = active === index.endpoints.length && reportAge(index, now) <= REPORT_FRESH_MS;
  return isWhole && !(index.chain && isChainStill(index.chain, now)) ? 'healthy' : 'degraded';
}

/** Slots behind are counted from the furthest endpoint that answers: where none does, they say nothing. */
function knownLag({ slotLag }: EndpointHealth, active: number): number | null {
  return active > 0 ? slotLag : null;
}

/**
 * Health of the endpoints: healthy where all are active, the report is fresh and the chain goes on; degraded where some
 * are active, the report ages or the chain stands still; offline where none is active or nothing was heard for a minute:
 * then no endpoint counts as active, and nothing is told of its latency and lag. A report of the future says nothing of
 * now either.
 */
export function networkHealthBody(index: IndexSnapshot, chain: ChainName, now: number): NetworkHealth {
  const reportedAt = index.endpointsReportedAt;
  const isOfNow = isReportOfNow(index, now);
  const active = isOfNow ? index.endpoints.filter((endpoint) => endpoint.active).length : 0;
  const endpoints = index.endpoints.map((endpoint) => ({
    name: endpoint.name,
    active: isOfNow && endpoint.active,
    state: isOfNow ? endpoint.state : null,
    latencyMs: isOfNow ? endpoint.latencyMs : null,
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
    endpoints,
  };
}

/**
 * What of a health body is news when it changes: not the clock, the slots, the latencies and the requests, which always
 * move.
 */
export function networkHealthNews(body: NetworkHealth): unknown {
  return [
    body.cluster,
    body.status,
    body.errorCount,
    body.endpoints.map(({ name, active, state, errorCount, lastError }) => [
      name,
      active,
      state,
      errorCount,
      lastError,
    ]),
  ];
}

/** When (Unix ms) the health changes by time alone next after `now`; null where it does not any more. */
export function nextHealthChange(reportedAt: number | null, now: number): number | null {
  if (reportedAt === null) return null;
  const edges = [-AHEAD_TOLERANCE, REPORT_FRESH_MS + 1, REPORT_LIMIT_MS + 1];
  return edges.map((age) => reportedAt + age).find((edge) => edge > now) ?? null;
}
