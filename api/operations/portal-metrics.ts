import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { minutes } from '../../data/model/facts/wording.ts';
import { RECONCILIATION_FRESHNESS, REPORT_FRESHNESS, REQUEST_WINDOW } from '../../data/model/value-state.ts';
import type { IndexReader, IndexStatistics } from '../../data/store/ports.ts';
import { type FigureInputs, verdictOf } from '../metrics/figure.ts';
import { isReportCurrent, type NetworkHealth, networkHealthBody } from '../network/health.ts';
import type { RequestCounts } from './request-counts.ts';

interface MetricSources {
  readonly reader: Pick<IndexReader, 'statistics'>;
  readonly facts: () => FigureInputs;
  /** Unix ms. */
  readonly now: () => number;
  readonly streams: () => number;
  /** Wallets that are being read from the chain. */
  readonly chainReads: () => number;
  readonly requests: RequestCounts;
}

/** The data of one scrape. `statistics` is null where the index cannot be read. */
interface Scrape {
  readonly facts: FigureInputs;
  readonly statistics: IndexStatistics | null;
  readonly now: number;
  readonly streams: number;
  readonly chainReads: number;
}

/** A value with its label, which is empty for metrics without one. Null is unknown and is left out. */
type Sample = readonly [label: string, value: number | null];

interface GaugeSpec {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: (scrape: Scrape) => readonly Sample[];
}

const one = (value: number | null | undefined): readonly Sample[] => [['', value ?? null]];
const secondsSince = (at: number | undefined, now: number) => (at === undefined ? null : (now - at) / 1_000);

type EndpointRow = NetworkHealth['endpoints'][number];

const healthOf = ({ facts, now }: Scrape): NetworkHealth => networkHealthBody(facts.index, facts.source, now);

/** Null where no endpoint answers, because old slots do not show how far the chain is. Distrusted endpoints do not count. */
function slotLag(scrape: Scrape): number | null {
  const { chain } = scrape.facts.index;
  const { endpoints, activeEndpoints } = healthOf(scrape);
  const trusted = endpoints.filter(({ state }) => state !== 'distrusted');
  const slots = trusted.map(({ slot }) => slot).filter((slot) => slot !== null);
  if (activeEndpoints === 0 || slots.length === 0 || !chain) return null;
  return Math.max(0, Math.max(...slots) - chain.slot);
}

/** A sample for each endpoint. */
function ofEndpoints(read: (endpoint: EndpointRow) => number | null): GaugeSpec['read'] {
  return (scrape) => healthOf(scrape).endpoints.map((endpoint) => [endpoint.name, read(endpoint)]);
}

/** A sample for each endpoint while the indexer reports: it is about the last minutes. */
function ofReportedEndpoints(read: (endpoint: EndpointRow) => number | null): GaugeSpec['read'] {
  return (scrape) => (isReportCurrent(scrape.facts.index, scrape.now) ? ofEndpoints(read)(scrape) : []);
}

/** 1 or 0 for the last comparison, or null where it is missing or overdue. */
function agreement({ facts, now }: Scrape): number | null {
  const { reconciliation } = facts.index;
  const verdict = reconciliation && verdictOf(reconciliation, now);
  return verdict === null || verdict === 'overdue' ? null : Number(verdict === 'agree');
}

const INDEX_GAUGES: readonly GaugeSpec[] = [
  {
    name: 'portal_slot_lag',
    help: 'Slots between the account snapshot and the newest slot of a trusted endpoint.',
    read: (scrape) => one(slotLag(scrape)),
  },
  {
    name: 'portal_indexed_slot',
    help: 'Slot of the account snapshot.',
    read: ({ facts }) => one(facts.index.chain?.slot),
  },
  {
    name: 'portal_cursor_slot',
    help: 'Slot up to which the event history is indexed.',
    read: ({ statistics }) => one(statistics?.cursorSlot),
  },
  {
    name: 'portal_events',
    help: 'Indexed events, by watched account.',
    label: 'account',
    read: ({ statistics }) => Object.entries(statistics?.events ?? {}),
  },
  {
    name: 'portal_provisional_events',
    help: 'Events that are not finalized.',
    read: ({ statistics }) => one(statistics?.provisionalEvents),
  },
  {
    name: 'portal_quarantined_transactions',
    help: 'Transactions that could not be read and are retried.',
    read: ({ statistics }) => one(statistics?.quarantined),
  },
  {
    name: 'portal_alarms',
    help: 'Changes of a watched account other than its balance.',
    read: ({ statistics }) => one(statistics?.alarms),
  },
  {
    name: 'portal_history_read',
    help: '1 where the history is indexed up to the newest transaction.',
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
    help: 'Time of the last reconciliation (Unix).',
    read: ({ facts }) => one(facts.index.reconciliation && facts.index.reconciliation.at / 1_000),
  },
  {
    name: 'portal_reconciliation_agrees',
    help: `1 where accounts and history agreed at the last reconciliation, 0 where they differed; no value where they agreed more than ${minutes(RECONCILIATION_FRESHNESS.limit)} ago.`,
    read: (scrape) => one(agreement(scrape)),
  },
  {
    name: 'portal_reconciliation_differences',
    help: 'Differences at the last reconciliation.',
    read: ({ facts }) => one(facts.index.reconciliation?.differences.length),
  },
];

const ENDPOINT_GAUGES: readonly GaugeSpec[] = [
  {
    name: 'portal_endpoint_up',
    help: `1 where the endpoint answers; 0 for all endpoints after ${minutes(REPORT_FRESHNESS.limit)} without a report of the indexer.`,
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
    help: `Requests to the endpoint in the last ${minutes(REQUEST_WINDOW)}.`,
    label: 'endpoint',
    read: ofReportedEndpoints(({ requestCount }) => requestCount),
  },
  {
    name: 'portal_endpoint_credits_per_day',
    help: "What the endpoint's provider charges the indexer for a day at the rate of the last hour, by its price list; calls where no list is known.",
    label: 'endpoint',
    read: ({ facts, now }) =>
      isReportCurrent(facts.index, now)
        ? facts.index.endpoints.map(({ name, creditsPerDay }) => [name, creditsPerDay])
        : [],
  },
  {
    name: 'portal_endpoint_errors',
    help: `Failed requests to the endpoint in the last ${minutes(REQUEST_WINDOW)}.`,
    label: 'endpoint',
    read: ofReportedEndpoints(({ errorCount }) => errorCount),
  },
  {
    name: 'portal_endpoint_slot_lag',
    help: 'Slots between the endpoint and the newest slot of all endpoints.',
    label: 'endpoint',
    read: ofEndpoints(({ slotLag: lag }) => lag),
  },
];

const SERVER_GAUGES: readonly GaugeSpec[] = [
  {
    name: 'portal_event_streams',
    help: 'Open event streams.',
    read: ({ streams }) => one(streams),
  },
  {
    name: 'portal_queue_depth',
    help: 'Waiting and running items, by queue.',
    label: 'queue',
    read: ({ statistics, chainReads }) => [
      ['recheck', statistics?.provisionalEvents ?? null],
      ['quarantine', statistics?.quarantined ?? null],
      ['wallet-reads', chainReads],
    ],
  },
];

function registerGauge(registry: Registry, spec: GaugeSpec): (scrape: Scrape) => void {
  const { name, help, label, read } = spec;
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
  });
  return (scrape) => {
    gauge.reset();
    // A gauge without a label starts at 0, which would show an unknown value as zero.
    if (label === undefined) gauge.remove();
    for (const [value, sample] of read(scrape)) {
      if (sample !== null) gauge.set(label === undefined ? {} : { [label]: value }, sample);
    }
  };
}

/** Registers the portal's metrics. @returns a function that reads a scrape in Prometheus's text format */
export function portalMetrics(registry: Registry, sources: MetricSources): () => Promise<string> {
  const gauges = [...INDEX_GAUGES, ...ENDPOINT_GAUGES, ...SERVER_GAUGES].map((spec) =>
    registerGauge(registry, spec),
  );
  const requests = new Counter({
    name: 'portal_http_requests_total',
    help: 'Answered HTTP requests, by kind of route and status.',
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
