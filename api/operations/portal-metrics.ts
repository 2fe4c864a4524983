import { Counter, Gauge, type Registry } from 'prom-client';
import type { IndexReader, IndexStatistics } from '../../data/store/ports.ts';
import { type Facts, verdictOf } from '../metrics/facts.ts';
import { isReportOfNow, type NetworkHealth, networkHealthBody } from '../network/health.ts';
import type { RequestCounts } from './request-counts.ts';

/** What the metrics are read from at each scrape. */
export interface MetricSources {
  readonly reader: Pick<IndexReader, 'statistics'>;
  readonly facts: () => Facts;
  /** Unix ms. */
  readonly now: () => number;
  readonly streams: () => number;
  /** Wallets being read from the chain. */
  readonly chainReads: () => number;
  readonly requests: RequestCounts;
}

/** Everything that a scrape tells, read at one moment. `statistics` is null where the index cannot be read. */
interface Scrape {
  readonly facts: Facts;
  readonly statistics: IndexStatistics | null;
  readonly now: number;
  readonly streams: number;
  readonly chainReads: number;
}

/** A value, with its label's value where the metric has one. Null is not known, and is not told. */
type Sample = readonly [label: string, value: number | null];

interface GaugeTerms {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: (scrape: Scrape) => readonly Sample[];
}

const one = (value: number | null | undefined): readonly Sample[] => [['', value ?? null]];
const secondsSince = (at: number | undefined, now: number) => (at === undefined ? null : (now - at) / 1_000);

type EndpointRow = NetworkHealth['endpoints'][number];

const healthOf = ({ facts, now }: Scrape): NetworkHealth => networkHealthBody(facts.index, facts.source, now);

/**
 * Null where no endpoint answers: what one told before says nothing of how far the chain is. Nor does one that is put
 * aside, whose slot may be why.
 */
function slotLag(scrape: Scrape): number | null {
  const { chain } = scrape.facts.index;
  const { endpoints, activeEndpoints } = healthOf(scrape);
  const believed = endpoints.filter(({ state }) => state !== 'put-aside');
  const slots = believed.map(({ slot }) => slot).filter((slot) => slot !== null);
  if (activeEndpoints === 0 || slots.length === 0 || !chain) return null;
  return Math.max(0, Math.max(...slots) - chain.slot);
}

/** A sample of each endpoint. */
function ofEndpoints(read: (endpoint: EndpointRow) => number | null): GaugeTerms['read'] {
  return (scrape) => healthOf(scrape).endpoints.map((endpoint) => [endpoint.name, read(endpoint)]);
}

/** A sample of each endpoint, and none once the indexer is silent: it speaks of the last minutes. */
function ofReportedEndpoints(read: (endpoint: EndpointRow) => number | null): GaugeTerms['read'] {
  return (scrape) => (isReportOfNow(scrape.facts.index, scrape.now) ? ofEndpoints(read)(scrape) : []);
}

/** 1 or 0 of the last comparison; null where there is none, or none lately. */
function agreement({ facts, now }: Scrape): number | null {
  const { reconciliation } = facts.index;
  const verdict = reconciliation && verdictOf(reconciliation, now);
  return verdict === null || verdict === 'overdue' ? null : Number(verdict === 'agree');
}

const INDEX_GAUGES: readonly GaugeTerms[] = [
  {
    name: 'portal_slot_lag',
    help: 'Slots that the account snapshot is behind the furthest endpoint that is believed.',
    read: (scrape) => one(slotLag(scrape)),
  },
  {
    name: 'portal_indexed_slot',
    help: 'Slot of the account snapshot.',
    read: ({ facts }) => one(facts.index.chain?.slot),
  },
  {
    name: 'portal_cursor_slot',
    help: 'Slot that the event history is read up to.',
    read: ({ statistics }) => one(statistics?.cursorSlot),
  },
  {
    name: 'portal_events',
    help: 'Events indexed, by watched account.',
    label: 'account',
    read: ({ statistics }) => Object.entries(statistics?.events ?? {}),
  },
  {
    name: 'portal_provisional_events',
    help: 'Events below finalized, still to be checked again.',
    read: ({ statistics }) => one(statistics?.provisionalEvents),
  },
  {
    name: 'portal_quarantined_transactions',
    help: 'Transactions that could not be read, still asked for.',
    read: ({ statistics }) => one(statistics?.quarantined),
  },
  {
    name: 'portal_alarms',
    help: 'Changes of a watched account beside its balance.',
    read: ({ statistics }) => one(statistics?.alarms),
  },
  {
    name: 'portal_history_read',
    help: '1 where the history is read up to its newest transaction.',
    read: ({ facts }) => one(facts.index.chain ? Number(facts.index.isHistoryRead) : null),
  },
  {
    name: 'portal_snapshot_age_seconds',
    help: 'Age of the account snapshot.',
    read: ({ facts, now }) => one(secondsSince(facts.index.chain?.readAt, now)),
  },
  {
    name: 'portal_quote_age_seconds',
    help: 'Age of the market quote.',
    read: ({ facts, now }) => one(secondsSince(facts.index.quote?.readAt, now)),
  },
  {
    name: 'portal_reconciliation_timestamp_seconds',
    help: 'When accounts and history were last compared (Unix).',
    read: ({ facts }) => one(facts.index.reconciliation && facts.index.reconciliation.at / 1_000),
  },
  {
    name: 'portal_reconciliation_agrees',
    help: '1 where accounts and history agreed when last compared, 0 where they differed; absent where they agreed more than a quarter of an hour ago.',
    read: (scrape) => one(agreement(scrape)),
  },
  {
    name: 'portal_reconciliation_differences',
    help: 'Differences found by the last comparison.',
    read: ({ facts }) => one(facts.index.reconciliation?.differences.length),
  },
];

const ENDPOINT_GAUGES: readonly GaugeTerms[] = [
  {
    name: 'portal_endpoint_up',
    help: '1 where the endpoint answers; 0 for all once the indexer was silent for a minute.',
    label: 'endpoint',
    read: ofEndpoints(({ active }) => Number(active)),
  },
  {
    name: 'portal_endpoint_latency_seconds',
    help: 'Latency of the endpoint.',
    label: 'endpoint',
    read: ofEndpoints(({ latencyMs }) => (latencyMs === null ? null : latencyMs / 1_000)),
  },
  {
    name: 'portal_endpoint_requests',
    help: 'Requests to the endpoint in the last five minutes.',
    label: 'endpoint',
    read: ofReportedEndpoints(({ requestCount }) => requestCount),
  },
  {
    name: 'portal_endpoint_errors',
    help: 'Requests to the endpoint that failed in the last five minutes.',
    label: 'endpoint',
    read: ofReportedEndpoints(({ errorCount }) => errorCount),
  },
  {
    name: 'portal_endpoint_slot_lag',
    help: 'Slots that the endpoint is behind the one that is furthest.',
    label: 'endpoint',
    read: ofEndpoints(({ slotLag: lag }) => lag),
  },
];

const SERVER_GAUGES: readonly GaugeTerms[] = [
  {
    name: 'portal_event_streams',
    help: 'Event streams open.',
    read: ({ streams }) => one(streams),
  },
  {
    name: 'portal_queue_depth',
    help: 'What waits or is under way, by queue.',
    label: 'queue',
    read: ({ statistics, chainReads }) => [
      ['recheck', statistics?.provisionalEvents ?? null],
      ['quarantine', statistics?.quarantined ?? null],
      ['wallet-reads', chainReads],
    ],
  },
];

function registerGauge(registry: Registry, terms: GaugeTerms): (scrape: Scrape) => void {
  const { name, help, label } = terms;
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
  });
  return (scrape) => {
    gauge.reset();
    // A gauge without a label begins at 0, which would tell an unknown value as none.
    if (label === undefined) gauge.remove();
    for (const [value, sample] of terms.read(scrape)) {
      if (sample !== null) gauge.set(label === undefined ? {} : { [label]: value }, sample);
    }
  };
}

/** Registers the portal's metrics. @returns the text of a scrape, in Prometheus's format. */
export function portalMetrics(registry: Registry, sources: MetricSources): () => Promise<string> {
  const gauges = [...INDEX_GAUGES, ...ENDPOINT_GAUGES, ...SERVER_GAUGES].map((terms) =>
    registerGauge(registry, terms),
  );
  const requests = new Counter({
    name: 'portal_http_requests_total',
    help: 'HTTP requests answered, by kind of route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  return async () => {
    const statistics = await sources.reader.statistics().catch(() => null);
    const scrape = {
      facts: sources.facts(),
      statistics,
      now: sources.now(),
      streams: sources.streams(),
      chainReads: sources.chainReads(),
    };
    for (const set of gauges) set(scrape);
    requests.reset();
    for (const { routeClass, status, requests: count } of sources.requests.all()) {
      requests.inc({ route: routeClass, status }, count);
    }
    return registry.metrics();
  };
}
