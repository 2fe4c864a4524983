import type { AttemptOutcome } from '../../../data/model/delivery-states.ts';
import type { Logger } from '../../../data/runtime/log.ts';
import type { DeliveryStore } from '../../../data/store/delivery-port.ts';
import { WEBHOOK_RETRY_MS } from '../../../data/store/rules/webhooks.ts';
import type { LeasedWebhook, WebhookEndpoint, WebhookStore } from '../../../data/store/webhook-port.ts';
import { retryWaitMs } from '../backoff.ts';
import { DeliveryLane, type LaneOptions, type LaneQueue } from '../delivery-lane.ts';
import { createWebhookSender, type WebhookSenderOptions } from './webhook-sender.ts';

export interface WebhookWorkerOptions extends Omit<WebhookSenderOptions, 'now'> {
  readonly store: WebhookStore;
  readonly onQueued: DeliveryStore['onQueued'];
  readonly log: Logger;
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  readonly now?: () => number;
  readonly retryWait?: LaneOptions['retryWait'];
}

export interface WebhookWorker {
  /** After a short delay, reads the endpoints and polls their queues. */
  wake(): void;
  stop(): Promise<void>;
}

interface EndpointLane {
  endpoint: WebhookEndpoint;
  readonly lane: DeliveryLane<LeasedWebhook>;
}

const MAX_IN_FLIGHT = 4;
const SEND_TIMEOUT_MS = 30_000;
const LEASE_MS = 60_000;
const DRAIN_TIMEOUT_MS = 6_000;
/** The endpoints are read this many milliseconds after a wake-up, so that many submissions cause only one read. */
const WAKE_DELAY_MS = 50;
/**
 * Milliseconds between two reads of the endpoints, which other replicas may change. Expired leases are reclaimed at the same
 * interval.
 */
const REFRESH_INTERVAL_MS = 30_000;
const ALL_LEASES = Number.MAX_SAFE_INTEGER;

/** Starts sending webhooks. Each endpoint has its own lane, so that a slow endpoint does not delay the others. */
export async function startWebhookWorker(options: WebhookWorkerOptions): Promise<WebhookWorker> {
  const { store, log, now = Date.now, onAttempt = () => {} } = options;
  const lanes = new Map<string, EndpointLane>();
  const laneOptions: LaneOptions = {
    log,
    now,
    random: Math.random,
    retryWait: options.retryWait ?? retryWaitMs,
    isLastAttempt: ({ createdAt, retriedSince = createdAt }, _attempts, at) =>
      at - retriedSince >= WEBHOOK_RETRY_MS,
    maxInFlight: MAX_IN_FLIGHT,
    sendTimeoutMs: SEND_TIMEOUT_MS,
    leaseMs: LEASE_MS,
    monotonicNow: () => performance.now(),
    lastQueuedAt: () => Number.NEGATIVE_INFINITY,
    onAttempt,
  };

  function queueOf(endpointId: string): LaneQueue<LeasedWebhook> {
    return {
      claimDue: (claim) => store.claimDue({ ...claim, endpointId }),
      nextDueAt: () => store.nextDueAt(endpointId),
      release: (delivery) => store.release(delivery),
      recordAttempt: async (delivery, attempt, after) => {
        const outcome = await store.recordAttempt(delivery, attempt, after);
        if (outcome !== 'disabled') return outcome;
        log.error({ endpoint: endpointId, code: attempt.code }, 'webhook endpoint disabled');
        return 'recorded';
      },
    };
  }

  function addLane(endpoint: WebhookEndpoint): void {
    const currentEndpoint = () => lanes.get(endpoint.id)?.endpoint ?? endpoint;
    const sender = createWebhookSender(currentEndpoint, { ...options, now });
    const lane = new DeliveryLane('webhook', queueOf(endpoint.id), sender, {
      ...laneOptions,
      // Host name lookups share a few threads. A failing endpoint gets one event at a time, so that some threads stay free.
      get maxInFlight() {
        return currentEndpoint().failingSince === null ? MAX_IN_FLIGHT : 1;
      },
    });
    lanes.set(endpoint.id, { endpoint, lane });
  }

  async function reclaim(expiredAt: number): Promise<void> {
    for (const delivery of await store.expiredLeases(expiredAt)) {
      if (lanes.get(delivery.endpointId)?.lane.isSending(delivery.id)) continue;
      await store.release(delivery);
      log.warn({ delivery: delivery.id }, 'interrupted webhook queued again');
    }
  }

  async function refresh(): Promise<void> {
    const endpoints = await store.endpoints();
    for (const endpoint of endpoints) {
      const existingLane = lanes.get(endpoint.id);
      if (existingLane) existingLane.endpoint = endpoint;
      else addLane(endpoint);
    }
    const ids = new Set(endpoints.map(({ id }) => id));
    for (const [id, { lane }] of lanes) {
      if (ids.has(id)) {
        lane.wake();
        continue;
      }
      lanes.delete(id);
      void lane.stop(0);
    }
  }

  let wakeTimer: NodeJS.Timeout | undefined;
  let refreshing = Promise.resolve();
  let isStopped = false;
  const refreshNow = (): void => {
    wakeTimer = undefined;
    refreshing = refreshing
      .then(refresh)
      .catch((error: unknown) => log.error({ err: error }, 'webhook endpoints cannot be read'));
  };
  const wake = (): void => {
    if (!isStopped) wakeTimer ??= setTimeout(refreshNow, WAKE_DELAY_MS);
  };
  await reclaim(ALL_LEASES);
  const unlisten = options.onQueued(wake);
  let reclaiming = Promise.resolve();
  const reclaimTimer = setInterval(() => {
    reclaiming = reclaim(now()).then(wake, (error) =>
      log.error({ err: error }, 'expired webhook leases cannot be reclaimed'),
    );
  }, REFRESH_INTERVAL_MS);
  wake();

  return {
    wake,
    stop: async () => {
      isStopped = true;
      unlisten();
      clearInterval(reclaimTimer);
      clearTimeout(wakeTimer);
      await Promise.all([refreshing, reclaiming]);
      await Promise.all([...lanes.values()].map(({ lane }) => lane.stop(DRAIN_TIMEOUT_MS)));
    },
  };
}
