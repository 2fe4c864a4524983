import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { minutesWithUnit } from '../../data/model/facts/amount-text.ts';
import {
  RECONCILIATION_FRESHNESS,
  REPORT_FRESHNESS,
  REQUEST_WINDOW_MS,
} from '../../data/model/value-state.ts';
import type { EndpointHealth, IndexStatistics } from '../../data/store/ports.ts';
import { isHistoryRead } from '../metrics/event-history.ts';
import { type FigureInputs, reconciliationVerdict } from '../metrics/figure.ts';
import { isReportCurrent, type NetworkHealth, networkHealthBody } from '../network/health.ts';
import type { PortalContext } from '../portal-context.ts';
import { replicaMetrics } from './replica-status.ts';
import type { RequestCounts } from './request-counts.ts';

interface Scrape {
  readonly inputs: FigureInputs;
  /** Null while the index cannot be read. */
  readonly statistics: IndexStatistics | null;
  /** Unix ms. */
  readonly now: number;
  readonly openStreamCount: number;
  readonly chainReadCount: number;
  readonly isStoreWritable: boolean;
  readonly isDiskSpaceLow: boolean;
  /** Null while the free space cannot be read. */
  readonly freeDiskBytes: number | null;
  readonly diskReserveBytes: number;
}

/** A gauge with a label has one value per label value. Unknown values are null and are left out. */
interface GaugeSpec {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: (scrape: Scrape) => readonly (readonly [labelValue: string, value: number | null])[];
}

type ReadValue<Source> = (source: Source) => number | null | undefined;

const singleGauge = (name: string, help: string, read: ReadValue<Scrape>): GaugeSpec => ({
  name,
  help,
  read: (scrape) => [['', read(scrape) ?? null]],
});

const secondsSince = (at: number | undefined, now: number) => (at === undefined ? null : (now - at) / 1_000);

type EndpointRow = NetworkHealth['endpoints'][number];

const healthOf = ({ inputs, now }: Pick<Scrape, 'inputs' | 'now'>): NetworkHealth =>
  networkHealthBody(inputs.index, inputs.source, now);

/**
 * How many slots the account snapshot is behind the newest slot that a trusted endpoint reported. Null without a snapshot, or
 * if no endpoint answers: slots from earlier answers do not show how far the chain has advanced.
 */
export function slotLag(scrape: Pick<Scrape, 'inputs' | 'now'>): number | null {
  const { chain } = scrape.inputs.index;
  const { endpoints, activeEndpoints } = healthOf(scrape);
  const trusted = endpoints.filter(({ state }) => state !== 'distrusted');
  const slots = trusted.map(({ slot }) => slot).filter((slot) => slot !== null);
  if (activeEndpoints === 0 || slots.length === 0 || !chain) return null;
  return Math.max(0, Math.max(...slots) - chain.slot);
}

const endpointGauge = (name: string, help: string, read: ReadValue<EndpointRow>): GaugeSpec => ({
  name,
  help,
  label: 'endpoint',
  read: (scrape) => healthOf(scrape).endpoints.map((endpoint) => [endpoint.name, read(endpoint) ?? null]),
});

/** The gauge has no values while there is no current report from the indexer. */
const reportedEndpointGauge = (name: string, help: string, read: ReadValue<EndpointHealth>): GaugeSpec => ({
  name,
  help,
  label: 'endpoint',
  read: ({ inputs: { index }, now }) =>
    isReportCurrent(index, now) ? index.endpoints.map((row) => [row.name, read(row) ?? null]) : [],
});

/**
 * 1 if accounts and history agreed at the last reconciliation, 0 if they differed. Null before the first reconciliation, or if
 * they agreed but the next reconciliation is overdue.
 */
function agreement({ inputs, now }: Scrape): number | null {
  const { reconciliation } = inputs.index;
  const verdict = reconciliation && reconciliationVerdict(reconciliation, now);
  return verdict === null || verdict === 'overdue' ? null : Number(verdict === 'agree');
}

const GAUGES: readonly GaugeSpec[] = [
  singleGauge(
    'portal_slot_lag',
    'Slots between the account snapshot and the newest slot of a trusted endpoint.',
    slotLag,
  ),
  singleGauge(
    'portal_indexed_slot',
    'Slot of the account snapshot.',
    ({ inputs }) => inputs.index.chain?.slot,
  ),
  singleGauge(
    'portal_cursor_slot',
    'Slot up to which the event history is indexed.',
    ({ statistics }) => statistics?.cursorSlot,
  ),
  {
    name: 'portal_events',
    help: 'Indexed events, by watched account.',
    label: 'account',
    read: ({ statistics }) => Object.entries(statistics?.events ?? {}),
  },
  singleGauge(
    'portal_provisional_events',
    'Events that are not finalized.',
    ({ statistics }) => statistics?.provisionalEvents,
  ),
  singleGauge(
    'portal_quarantined_transactions',
    'Transactions that could not be read and are retried.',
    ({ statistics }) => statistics?.quarantined,
  ),
  singleGauge(
    'portal_alarms',
    'Changes to watched accounts, other than balance changes.',
    ({ statistics }) => statistics?.alarms,
  ),
  singleGauge(
    'portal_history_read',
    '1 if the history is indexed up to the newest transaction.',
    ({ inputs }) => (inputs.index.chain ? Number(isHistoryRead(inputs.index)) : null),
  ),
  singleGauge('portal_snapshot_age_seconds', 'Age of the account snapshot.', ({ inputs, now }) =>
    secondsSince(inputs.index.chain?.readAt, now),
  ),
  singleGauge('portal_quote_age_seconds', 'Age of the market quote.', ({ inputs, now }) =>
    secondsSince(inputs.index.quote?.readAt, now),
  ),
  singleGauge(
    'portal_reconciliation_timestamp_seconds',
    'Time of the last reconciliation (Unix).',
    ({ inputs }) => inputs.index.reconciliation && inputs.index.reconciliation.at / 1_000,
  ),
  singleGauge(
    'portal_reconciliation_agrees',
    `1 if accounts and history agreed at the last reconciliation, 0 if they differed; no value if they agreed more than ${minutesWithUnit(RECONCILIATION_FRESHNESS.limitMs)} ago.`,
    agreement,
  ),
  singleGauge(
    'portal_reconciliation_differences',
    'Differences at the last reconciliation.',
    ({ inputs }) => inputs.index.reconciliation?.differences.length,
  ),
  endpointGauge(
    'portal_endpoint_up',
    `1 if the endpoint answers; 0 for all endpoints after ${minutesWithUnit(REPORT_FRESHNESS.limitMs)} without a report from the indexer.`,
    ({ active }) => Number(active),
  ),
  endpointGauge('portal_endpoint_latency_seconds', 'Latency of the endpoint.', ({ latencyMs }) =>
    latencyMs === null ? null : latencyMs / 1_000,
  ),
  reportedEndpointGauge(
    'portal_endpoint_requests',
    `Requests to the endpoint in the last ${minutesWithUnit(REQUEST_WINDOW_MS)}.`,
    ({ requestCount }) => requestCount,
  ),
  reportedEndpointGauge(
    'portal_endpoint_credits_per_day',
    "Credits per day at the indexer's request rate of the last hour, according to the price list of the endpoint's provider. Calls per day if no price list is known.",
    ({ creditsPerDay }) => creditsPerDay,
  ),
  reportedEndpointGauge(
    'portal_endpoint_errors',
    `Failed requests to the endpoint in the last ${minutesWithUnit(REQUEST_WINDOW_MS)}.`,
    ({ errorCount }) => errorCount,
  ),
  endpointGauge(
    'portal_endpoint_slot_lag',
    'Slots between the endpoint and the newest slot of all endpoints.',
    ({ slotLag: lag }) => lag,
  ),
  singleGauge('portal_store_writable', '1 if app.db can be written.', ({ isStoreWritable }) =>
    Number(isStoreWritable),
  ),
  singleGauge(
    'portal_disk_free_bytes',
    'Free bytes on the disk that holds DATA_DIR.',
    ({ freeDiskBytes }) => freeDiskBytes,
  ),
  singleGauge(
    'portal_disk_reserve_bytes',
    'DISK_RESERVE_MB in bytes: with less free space, no documents are accepted.',
    ({ diskReserveBytes }) => diskReserveBytes,
  ),
  singleGauge(
    'portal_documents_paused',
    '1 while no documents are accepted, because less than DISK_RESERVE_MB is free or the free space is unknown.',
    ({ isDiskSpaceLow }) => Number(isDiskSpaceLow),
  ),
  singleGauge('portal_event_streams', 'Open event streams.', ({ openStreamCount }) => openStreamCount),
  {
    name: 'portal_queue_depth',
    help: 'Waiting and running items, by queue.',
    label: 'queue',
    read: ({ statistics, chainReadCount }) => [
      ['recheck', statistics?.provisionalEvents ?? null],
      ['quarantine', statistics?.quarantined ?? null],
      ['wallet-reads', chainReadCount],
    ],
  },
];

function registerGauge(registry: Registry, { name, help, label, read }: GaugeSpec): (scrape: Scrape) => void {
  const labelNames = label === undefined ? [] : [label];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  return (scrape) => {
    gauge.reset();
    // A gauge without a label starts at 0, which would show an unknown value as zero.
    if (label === undefined) gauge.remove();
    for (const [labelValue, value] of read(scrape)) {
      if (value !== null) gauge.set(label === undefined ? {} : { [label]: labelValue }, value);
    }
  };
}

/** @returns a function that reads the metrics in Prometheus's text format */
export function portalMetrics(context: PortalContext, requestCounts: RequestCounts): () => Promise<string> {
  const { registry, reader, hub, walletReaders, stakeReads, replicaStatus } = context;
  const gaugeSetters = GAUGES.map((spec) => registerGauge(registry, spec));
  const requestCounter = new Counter({
    name: 'portal_http_requests_total',
    help: 'Answered HTTP requests, by kind of route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  new Gauge({
    name: 'portal_build_info',
    help: 'Always 1. The labels are the versions of the portal and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: context.version, node: process.versions.node }, 1);
  const setReplicaGauges = replicaStatus && replicaMetrics(registry);
  return async () => {
    if (replicaStatus) setReplicaGauges?.(await replicaStatus());
    const scrape = {
      inputs: context.figureInputs(),
      statistics: await reader.statistics().catch(() => null),
      now: context.now(),
      openStreamCount: hub.size,
      isStoreWritable: context.isStoreWritable(),
      isDiskSpaceLow: context.isDiskSpaceLow(),
      freeDiskBytes: context.freeDiskBytes(),
      diskReserveBytes: context.disk.reserveBytes,
      chainReadCount:
        walletReaders.staked.readsInProgress +
        walletReaders.held.readsInProgress +
        stakeReads.readsInProgress,
    };
    for (const set of gaugeSetters) set(scrape);
    requestCounter.reset();
    for (const { routeClass, status, requests: count } of requestCounts.all()) {
      requestCounter.inc({ route: routeClass, status }, count);
    }
    return registry.metrics();
  };
}
