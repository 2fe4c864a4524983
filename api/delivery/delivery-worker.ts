import { rateLimits } from '../../data/config/rate-limits.ts';
import { DELIVERY_CHANNELS, type DeliveryChannel } from '../../data/store/delivery-port.ts';
import { retryWait } from './backoff.ts';
import { DeliveryLane, type LaneOptions } from './delivery-lane.ts';
import type { PauseReason, Sender } from './send-outcome.ts';

export interface WorkerOptions
  extends Pick<LaneOptions, 'store' | 'log'>,
    Partial<Omit<LaneOptions, 'store' | 'log' | 'maxInFlight' | 'lastQueuedAt'>> {
  readonly senders: Readonly<Record<DeliveryChannel, Sender>>;
}

export interface DeliveryWorker {
  /** Polls the queue now. */
  wake(): void;
  /** Paused channels, with the reason. */
  pauses(): ReadonlyMap<DeliveryChannel, PauseReason>;
  /** Starts no more deliveries, and logs the outcomes of deliveries in flight. */
  stop(): Promise<void>;
}

/** Telegram expects a bot to send messages to a chat one at a time. */
const MAX_IN_FLIGHT: Readonly<Record<DeliveryChannel, number>> = { mail: 4, telegram: 1 };
const SEND_TIMEOUT_MS = 90_000;
/** Half a minute longer than an attempt may take, so that the attempt's outcome can be logged. */
const LEASE_MS = 120_000;
/** Milliseconds that messages in flight get to finish when the worker stops. The whole process has more time to exit. */
const DRAIN_TIMEOUT_MS = 6_000;
/** Milliseconds between checks for expired leases. */
const RECLAIM_INTERVAL_MS = 30_000;
const ALL_LEASES = Number.MAX_SAFE_INTEGER;

/**
 * Starts to deliver the queue. If only this process opens the store, first reclaims all leases, because the processes that held
 * them have ended. With a store that replicas share, it reclaims only the expired ones.
 */
export async function startDeliveryWorker(options: WorkerOptions): Promise<DeliveryWorker> {
  let lastQueuedAt = Number.NEGATIVE_INFINITY;
  const common = {
    now: Date.now,
    steady: () => performance.now(),
    random: Math.random,
    retryWait,
    sendTimeoutMs: SEND_TIMEOUT_MS,
    leaseMs: LEASE_MS,
    rateLimits: rateLimits(),
    onAttempt: () => {},
    lastQueuedAt: () => lastQueuedAt,
    ...options,
  } satisfies Omit<LaneOptions, 'maxInFlight'>;
  const { store, log, senders, now, steady, leaseMs, onAttempt } = common;
  const createLane = (channel: DeliveryChannel) =>
    new DeliveryLane(channel, senders[channel], { ...common, maxInFlight: MAX_IN_FLIGHT[channel] });
  const lanes = { mail: createLane('mail'), telegram: createLane('telegram') };
  const wake = () => {
    for (const channel of DELIVERY_CHANNELS) lanes[channel].wake();
  };

  /** Logs the attempts of expired leases as unknown, and queues their deliveries again. */
  async function reclaim(expiredAt: number): Promise<void> {
    for (const delivery of await store.expiredLeases(expiredAt)) {
      const lane = lanes[delivery.channel];
      if (lane.isSending(delivery.id)) continue;
      const at = now();
      const latencyMs = Math.max(0, at - (delivery.leasedUntil - leaseMs));
      const attempt = {
        at,
        outcome: 'unknown',
        providerId: null,
        code: 'interrupted',
        error: 'The portal stopped while sending. The message may have arrived.',
        maskedRecipient: lane.maskedRecipient(delivery),
        latencyMs,
      } as const;
      const after = { state: 'waiting', nextAttemptAt: at, counts: false } as const;
      if ((await store.recordAttempt(delivery, attempt, after)) === 'stale') continue;
      log.warn({ delivery: delivery.id, channel: delivery.channel }, 'interrupted delivery queued again');
      onAttempt(delivery.channel, 'unknown', latencyMs);
    }
  }

  await reclaim(ALL_LEASES);
  const unlisten = store.onQueued(() => {
    lastQueuedAt = steady();
    wake();
  });
  const reclaiming = setInterval(() => {
    reclaim(now()).then(wake, (error) => log.error({ err: error }, 'leases cannot be read'));
  }, RECLAIM_INTERVAL_MS);
  wake();

  return {
    wake,
    pauses: () => {
      const paused = DELIVERY_CHANNELS.map((channel) => [channel, lanes[channel].pauseReason] as const);
      return new Map(paused.flatMap(([channel, reason]) => (reason === null ? [] : [[channel, reason]])));
    },
    stop: async () => {
      unlisten();
      clearInterval(reclaiming);
      await Promise.all(DELIVERY_CHANNELS.map((channel) => lanes[channel].stop(DRAIN_TIMEOUT_MS)));
    },
  };
}
