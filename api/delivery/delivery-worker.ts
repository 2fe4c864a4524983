import { type RateLimits, rateLimits } from '../../data/config/rate-limits.ts';
import type { AttemptOutcome } from '../../data/model/delivery-states.ts';
import {
  DELIVERY_CHANNELS,
  type DeliveryChannel,
  type DeliveryStore,
  type LeasedDelivery,
} from '../../data/store/delivery-port.ts';
import { retryWaitMs } from './backoff.ts';
import { DeliveryLane, hasReachedMaxAttempts, type LaneOptions, type LaneQueue } from './delivery-lane.ts';
import type { PauseReason, Sender } from './send-outcome.ts';

export interface WorkerOptions
  extends Pick<LaneOptions, 'log'>,
    Partial<Omit<LaneOptions, 'log' | 'maxInFlight' | 'lastQueuedAt' | 'onAttempt' | 'isLastAttempt'>> {
  readonly store: DeliveryStore;
  readonly senders: Readonly<Record<DeliveryChannel, Sender>>;
  readonly rateLimits?: Pick<RateLimits, 'confirmations' | 'confirmations-of-domain'>;
  readonly onAttempt?: (channel: DeliveryChannel, outcome: AttemptOutcome, latencyMs: number) => void;
}

export interface DeliveryWorker {
  wake(): void;
  pauses(): ReadonlyMap<DeliveryChannel, PauseReason>;
  /** Starts no more deliveries, and logs the outcomes of deliveries in flight. */
  stop(): Promise<void>;
}

/** Telegram expects a bot to send messages to a chat one at a time. */
const MAX_IN_FLIGHT: Readonly<Record<DeliveryChannel, number>> = { mail: 4, telegram: 1, push: 4 };
const SEND_TIMEOUT_MS = 90_000;
/** Half a minute longer than an attempt may take, so that the attempt's outcome can be logged. */
const LEASE_MS = 120_000;
/** Milliseconds for messages in flight to finish when the worker stops. The process has more time than this to exit. */
const DRAIN_TIMEOUT_MS = 6_000;
const RECLAIM_INTERVAL_MS = 30_000;
const ALL_LEASES = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;
/** A confirmation that exceeds a limit is postponed by this many milliseconds. */
const POSTPONEMENT_MS = 900_000;

function queueOf(
  channel: DeliveryChannel,
  store: DeliveryStore,
  limits: NonNullable<WorkerOptions['rateLimits']>,
): LaneQueue<LeasedDelivery> {
  return {
    claimDue: (claim) => {
      const confirmations = {
        since: claim.now - DAY_MS,
        perDomain: limits['confirmations-of-domain'],
        total: limits.confirmations,
        postponedUntil: claim.now + POSTPONEMENT_MS,
      };
      return store.claimDue({ ...claim, channel, confirmationLimits: confirmations });
    },
    recordAttempt: (delivery, attempt, after) => store.recordAttempt(delivery, attempt, after),
    release: (delivery) => store.release(delivery),
    nextDueAt: () => store.nextDueAt(channel),
  };
}

/**
 * Starts the worker. If only this process opens the store, all leases are reclaimed first, because the processes that held them
 * have ended. If replicas share the store, only expired leases are reclaimed.
 */
export async function startDeliveryWorker(options: WorkerOptions): Promise<DeliveryWorker> {
  let lastQueuedAt = Number.NEGATIVE_INFINITY;
  const laneOptions = {
    now: Date.now,
    monotonicNow: () => performance.now(),
    random: Math.random,
    retryWait: retryWaitMs,
    sendTimeoutMs: SEND_TIMEOUT_MS,
    leaseMs: LEASE_MS,
    isLastAttempt: hasReachedMaxAttempts,
    lastQueuedAt: () => lastQueuedAt,
    ...options,
  };
  const { store, log, senders, now, monotonicNow, leaseMs } = laneOptions;
  const { rateLimits: limits = rateLimits(), onAttempt = () => {} } = options;
  const createLane = (channel: DeliveryChannel) =>
    new DeliveryLane(channel, queueOf(channel, store, limits), senders[channel], {
      ...laneOptions,
      maxInFlight: MAX_IN_FLIGHT[channel],
      onAttempt: (outcome, latencyMs) => onAttempt(channel, outcome, latencyMs),
    });
  const lanes = { mail: createLane('mail'), telegram: createLane('telegram'), push: createLane('push') };
  const wake = () => {
    for (const channel of DELIVERY_CHANNELS) lanes[channel].wake();
  };

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

  // With PostgreSQL, the store ignores this time and returns only expired leases.
  await reclaim(ALL_LEASES);
  const unlisten = store.onQueued(() => {
    lastQueuedAt = monotonicNow();
    wake();
  });
  let reclaiming = Promise.resolve();
  const reclaimTimer = setInterval(() => {
    reclaiming = reclaim(now()).then(wake, (error) =>
      log.error({ err: error }, 'expired leases cannot be reclaimed'),
    );
  }, RECLAIM_INTERVAL_MS);
  wake();

  return {
    wake,
    pauses: () => {
      const pauseReasons = DELIVERY_CHANNELS.map((channel) => [channel, lanes[channel].pauseReason] as const);
      return new Map(
        pauseReasons.flatMap(([channel, reason]) => (reason === null ? [] : [[channel, reason]])),
      );
    },
    stop: async () => {
      unlisten();
      clearInterval(reclaimTimer);
      await reclaiming;
      await Promise.all(DELIVERY_CHANNELS.map((channel) => lanes[channel].stop(DRAIN_TIMEOUT_MS)));
    },
  };
}
