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
  /** Starts no new delivery, and logs the outcome of those in flight. */
  stop(): Promise<void>;
}

/** Telegram expects a bot to send messages to a chat one at a time. */
const MAX_IN_FLIGHT: Readonly<Record<DeliveryChannel, number>> = { mail: 4, telegram: 1 };
const SEND_TIMEOUT_MS = 90_000;
/** Half a minute more than an attempt may take, to log it. */
const LEASE_MS = 120_000;
/** Milliseconds for messages in flight when the worker stops. The process has longer to exit. */
const DRAIN_TIMEOUT_MS = 6_000;
/** Milliseconds between two checks for expired leases. */
const RECLAIM_INTERVAL_MS = 30_000;
const ALL_LEASES = Number.MAX_SAFE_INTEGER;

/**
 * Starts to deliver the queue. First reclaims all leases: only one process opens the store at a time, so each lease belongs
 * to a process that has ended.
 */
export async function startDeliveryWorker(options: WorkerOptions): Promise<DeliveryWorker> {
  const { store, log, senders, now = Date.now, leaseMs = LEASE_MS } = options;
  const steady = options.steady ?? (() => performance.now());
  let lastQueuedAt = Number.NEGATIVE_INFINITY;
  const onAttempt = options.onAttempt ?? (() => {});
  const common = {
    store,
    log,
    now,
    random: options.random ?? Math.random,
    retryWait: options.retryWait ?? retryWait,
    sendTimeoutMs: options.sendTimeoutMs ?? SEND_TIMEOUT_MS,
    leaseMs,
    steady,
    lastQueuedAt: () => lastQueuedAt,
    onAttempt,
  };
  const laneOf = (channel: DeliveryChannel) =>
    new DeliveryLane(channel, senders[channel], { ...common, maxInFlight: MAX_IN_FLIGHT[channel] });
  const lanes: Readonly<Record<DeliveryChannel, DeliveryLane>> = {
    mail: laneOf('mail'),
    telegram: laneOf('telegram'),
  };
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
