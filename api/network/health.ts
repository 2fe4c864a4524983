import type { ResponseOf } from '../../data/contract/call.ts';
import type { networkHealth, PublicCluster } from '../../data/contract/network.ts';
import type { ChainName } from '../../data/contract/provenance.ts';
import { AHEAD_TOLERANCE, isAgeUnknown } from '../../data/model/value-state.ts';
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

function statusOf(
  endpoints: readonly EndpointHealth[],
  active: number,
  age: number,
): NetworkHealth['status'] {
  if (active === 0) return 'offline';
  return active === endpoints.length && age <= REPORT_FRESH_MS ? 'healthy' : 'degraded';
}

/**
 * Health of the endpoints: healthy where all are active and the report is fresh, degraded where some are or the report
 * ages, offline where none is or nothing was heard for a minute; then no endpoint counts as active. A report of the
 * future says nothing of now either.
 */
export function networkHealthBody(index: IndexSnapshot, chain: ChainName, now: number): NetworkHealth {
  const reportedAt = index.endpointsReportedAt;
  const isOfNow = reportedAt !== null && !isAgeUnknown(now - reportedAt);
  const age = isOfNow ? now - reportedAt : Number.POSITIVE_INFINITY;
  const endpoints = index.endpoints.map((endpoint) => ({
    name: endpoint.name,
    active: endpoint.active && age <= REPORT_LIMIT_MS,
    latencyMs: endpoint.latencyMs,
    slot: endpoint.slot,
    errorCount: endpoint.errorCount,
    lastError: endpoint.lastError,
  }));
  const active = endpoints.filter((endpoint) => endpoint.active).length;
  return {
    chain,
    cluster: clusterOf(index, chain),
    status: statusOf(index.endpoints, active, age),
    activeEndpoints: active,
    totalEndpoints: endpoints.length,
    lastUpdate: reportedAt === null ? null : new Date(reportedAt).toISOString(),
    errorCount: endpoints.reduce((sum, endpoint) => sum + endpoint.errorCount, 0),
    slot: index.chain?.slot ?? null,
    endpoints,
  };
}

/** What of a health body is news when it changes: not the clock, the slots and the latencies, which always move. */
export function networkHealthNews(body: NetworkHealth): unknown {
  return [
    body.cluster,
    body.status,
    body.errorCount,
    body.endpoints.map(({ name, active, errorCount, lastError }) => [name, active, errorCount, lastError]),
  ];
}

/** When (Unix ms) the health changes by time alone next after `now`; null where it does not any more. */
export function nextHealthChange(reportedAt: number | null, now: number): number | null {
  if (reportedAt === null) return null;
  const edges = [-AHEAD_TOLERANCE, REPORT_FRESH_MS + 1, REPORT_LIMIT_MS + 1];
  return edges.map((age) => reportedAt + age).find((edge) => edge > now) ?? null;
}
