import { DELIVERY_CHANNELS, type DeliveryChannel } from '../../data/store/delivery-port.ts';
import { retryWait } from './backoff.ts';
import { DeliveryLane, type LaneOptions } from './delivery-lane.ts';
import type { PauseReason, Sender } from './send-outcome.ts';

export interface WorkerOptions
  extends Pick<LaneOptions, 'store' | 'log'>,
    Partial<Omit<LaneOptions, 'store' | 'log' | 'atOnce' | 'lastQueuedAt'>> {
  readonly senders: Readonly<Record<DeliveryChannel, Sender>>;
  /** Milliseconds that what is under way gets when the worker stops. */
  readonly drainWithin?: number;
}

/** Takes what is queued to where it should go, for as long as it runs. */
export interface DeliveryWorker {
  /** Looks at the queue now. */
  wake(): void;
  /** Channels that rest, with the reason. */
  pauses(): ReadonlyMap<DeliveryChannel, PauseReason>;
  /** Takes nothing new, lets what is under way end, and says of everything how it went. */
  stop(): Promise<void>;
}

/** Several mails at once; Telegram wants a bot's messages to one chat one after the other. */
const AT_ONCE: Readonly<Record<DeliveryChannel, number>> = { mail: 4, telegram: 1 };
const SEND_WITHIN = 90_000;
/** Half a minute more than a try may take: time to log it. */
const LEASE_FOR = 120_000;
/** The process has ten seconds to end, and not for this alone. */
const DRAIN_WITHIN = 6_000;
/** Milliseconds between two looks for leases whose holder never said how it went. */
const RECLAIM_EVERY = 30_000;
const ALL_LEASES = Number.MAX_SAFE_INTEGER;

/**
 * Starts the delivery of what is queued. What an earlier process left under way is taken up first: only one process has
 * the store at a time, so every lease that is there is of one that has ended.
 */
export async function startDeliveryWorker(options: WorkerOptions): Promise<DeliveryWorker> {
  const { store, log, senders, now = Date.now, leaseFor = LEASE_FOR } = options;
  const steady = options.steady ?? (() => performance.now());
  let lastQueuedAt = Number.NEGATIVE_INFINITY;
  const onAttempt = options.onAttempt ?? (() => {});
  const common = {
    store,
    log,
    now,
    random: options.random ?? Math.random,
    retryWait: options.retryWait ?? retryWait,
    sendWithin: options.sendWithin ?? SEND_WITHIN,
    leaseFor,
    steady,
    lastQueuedAt: () => lastQueuedAt,
    onAttempt,
  };
  const laneOf = (channel: DeliveryChannel) =>
    new DeliveryLane(channel, senders[channel], { ...common, atOnce: AT_ONCE[channel] });
  const lanes: Readonly<Record<DeliveryChannel, DeliveryLane>> = {
    mail: laneOf('mail'),
    telegram: laneOf('telegram'),
  };
  const wake = () => {
    for (const channel of DELIVERY_CHANNELS) lanes[channel].wake();
  };

  /** Logs what was under way when its holder ended as of unknown outcome, and lets it be tried again. */
  async function reclaim(moment: number): Promise<void> {
    for (const delivery of await store.leasesEndedBy(moment)) {
      const lane = lanes[delivery.channel];
      if (lane.holds(delivery.id)) continue;
      const at = now();
      const latencyMs = Math.max(0, at - (delivery.leasedUntil - leaseFor));
      const attempt = {
        at,
        outcome: 'unknown',
        providerId: null,
        code: 'interrupted',
        error: 'The portal ended while this was being sent; it may have arrived.',
        maskedRecipient: lane.maskedRecipient(delivery),
        latencyMs,
      } as const;
      const after = { state: 'waiting', nextAttemptAt: at, counts: false } as const;
      if ((await store.recordAttempt(delivery, attempt, after)) === 'stale') continue;
      log.warn(
        { delivery: delivery.id, channel: delivery.channel },
        'an interrupted delivery is tried again',
      );
      onAttempt(delivery.channel, 'unknown', latencyMs);
    }
  }

  await reclaim(ALL_LEASES);
  const unlisten = store.onQueued(() => {
    lastQueuedAt = steady();
    wake();
  });
  const reclaiming = setInterval(() => {
    reclaim(now()).then(wake, (error) => log.error({ err: error }, 'the leases cannot be read'));
  }, RECLAIM_EVERY);
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
      const within = options.drainWithin ?? DRAIN_WITHIN;
      await Promise.all(DELIVERY_CHANNELS.map((channel) => lanes[channel].stop(within)));
    },
  };
}
