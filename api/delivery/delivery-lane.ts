import { setTimeout as pause } from 'node:timers/promises';
import type { AttemptOutcome } from '../../data/model/delivery-states.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { runTraced } from '../../data/runtime/tracing.ts';
import type { DeliveryAttempt, LeasedDelivery, StateAfterAttempt } from '../../data/store/delivery-port.ts';
import { StoreUnavailableError } from '../../data/store/store-errors.ts';
import type { LeasedWebhook } from '../../data/store/webhook-port.ts';
import { ChannelPause, MAX_ATTEMPTS } from './backoff.ts';
import type { Sender, SendOutcome } from './send-outcome.ts';

type LaneDelivery = Pick<
  LeasedDelivery,
  'id' | 'event' | 'referenceNumber' | 'attemptCount' | 'fence' | 'createdAt'
> &
  Partial<Pick<LeasedDelivery, 'audience'> & Pick<LeasedWebhook, 'retriedSince'>>;

export interface LaneQueue<Delivery extends LaneDelivery> {
  claimDue(claim: {
    readonly now: number;
    readonly leasedUntil: number;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  recordAttempt(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    after: StateAfterAttempt,
  ): Promise<'recorded' | 'stale'>;
  release(delivery: Delivery): Promise<void>;
  nextDueAt(): Promise<number | null>;
}

export interface LaneOptions {
  readonly log: Logger;
  /** Unix ms. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds to wait after this many attempts. */
  readonly retryWait: (attempts: number, random: number) => number;
  /** Whether to give up on a message after its latest attempt. @param attempts the counted attempts @param at Unix ms */
  readonly isLastAttempt: (delivery: LaneDelivery, attempts: number, at: number) => boolean;
  readonly maxInFlight: number;
  /** How long (ms) one attempt may take. Must be shorter than a lease. */
  readonly sendTimeoutMs: number;
  readonly leaseMs: number;
  /** A monotonic clock in milliseconds. */
  readonly monotonicNow: () => number;
  /** When a delivery was last queued, by the monotonic clock. */
  readonly lastQueuedAt: () => number;
  readonly onAttempt: (outcome: AttemptOutcome, latencyMs: number) => void;
}

export const hasReachedMaxAttempts: LaneOptions['isLastAttempt'] = (_delivery, attempts) =>
  attempts >= MAX_ATTEMPTS;

const POLL_INTERVAL_MS = 30_000;
/** Milliseconds until the next poll after a store error. */
const STORE_RETRY_MS = 5_000;
/** Milliseconds between two attempts to log an outcome while the store cannot be used. */
const LOG_RETRY_MS = 500;
/** The shortest timer wait in milliseconds, even if deliveries are already due. */
const MIN_WAIT_MS = 10;

/**
 * While submissions arrive, the lane waits after each delivery, so that submissions get the processor and the disk first.
 * The wait is this multiple of the delivery's duration. `MAX_YIELD_MS` limits it, so that emails are still sent.
 */
const YIELD_FACTOR = 9;
const MAX_YIELD_MS = 1_000;

/** An error's stack without its message, which may contain personal data. */
function stackWithoutMessage(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error];
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...lines.map((line) => line.trim())];
}

/** Delivers the messages of one channel or webhook endpoint. No transaction is open while a message is sent. */
export class DeliveryLane<Delivery extends LaneDelivery> {
  /** For logs. */
  readonly #channel: string;
  readonly #queue: LaneQueue<Delivery>;
  readonly #sender: Sender<Delivery>;
  readonly #options: LaneOptions;
  readonly #pause: ChannelPause;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #abortController = new AbortController();
  #polling: Promise<void> | null = null;
  #shouldPollAgain = false;
  #isStopped = false;
  /** When the lane may start the next delivery, by the monotonic clock. */
  #yieldsUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(channel: string, queue: LaneQueue<Delivery>, sender: Sender<Delivery>, options: LaneOptions) {
    this.#channel = channel;
    this.#queue = queue;
    this.#sender = sender;
    this.#options = options;
    this.#pause = new ChannelPause(options.random);
  }

  /** Null if the channel is not paused. */
  get pauseReason(): ChannelPause['reason'] {
    return this.#pause.reason;
  }

  /** Whether this process is sending the delivery, and will log its outcome. */
  isSending(id: string): boolean {
    return this.#inFlight.has(id);
  }

  maskedRecipient(delivery: Delivery): string {
    return this.#sender.maskedRecipient(delivery);
  }

  /** Polls the queue now, or once more if a poll is running. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#polling) {
      this.#shouldPollAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    const remainingMs = this.#yieldsUntil - this.#options.monotonicNow();
    if (remainingMs > 0) {
      this.#wakeIn(remainingMs);
      return;
    }
    this.#polling = this.#poll()
      .catch((error) => {
        this.#options.log.error({ err: error, channel: this.#channel }, 'deliveries cannot be read');
        this.#wakeIn(STORE_RETRY_MS);
      })
      .finally(() => {
        this.#polling = null;
        const shouldPollAgain = this.#shouldPollAgain;
        this.#shouldPollAgain = false;
        if (shouldPollAgain) this.wake();
      });
  }

  /** Starts no more deliveries, and after `timeoutMs` aborts those that are still in flight. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    const abortTimer = setTimeout(() => this.#abortController.abort(), timeoutMs);
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.values());
    clearTimeout(abortTimer);
  }

  #wakeIn(milliseconds: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const waitMs = Math.min(POLL_INTERVAL_MS, Math.max(MIN_WAIT_MS, milliseconds));
    this.#timer = setTimeout(() => this.wake(), waitMs);
  }

  async #poll(): Promise<void> {
    const { now, monotonicNow, maxInFlight, leaseMs } = this.#options;
    const at = now();
    const inFlightCount = this.#inFlight.size;
    // While the channel is paused, only one message may be in flight. The lane wakes when that message's attempt ends.
    const limit =
      this.#pause.reason === null
        ? maxInFlight - inFlightCount
        : this.#pause.capacity(monotonicNow(), inFlightCount === 0 ? 1 : 0);
    // Checks for due deliveries first: most wake-ups are about another channel, and each claim writes to the store.
    const firstDueAt = limit > 0 ? await this.#queue.nextDueAt() : null;
    if (firstDueAt !== null && firstDueAt <= at) {
      const claim = { now: at, leasedUntil: at + leaseMs, limit };
      for (const delivery of await this.#queue.claimDue(claim)) this.#start(delivery);
    }
    const isFull =
      this.#inFlight.size >= maxInFlight || (this.#pause.reason !== null && this.#inFlight.size > 0);
    if (isFull) return;
    const dueAt = await this.#queue.nextDueAt();
    const pauseMs = this.#pause.until - monotonicNow();
    this.#wakeIn(dueAt === null ? POLL_INTERVAL_MS : Math.max(dueAt - now(), pauseMs));
  }

  #start(delivery: Delivery): void {
    const attempt = this.#deliver(delivery)
      .catch((error) => {
        // When the lease expires, the attempt is logged as unknown.
        this.#options.log.error({ err: error, delivery: delivery.id }, 'delivery attempt cannot be logged');
      })
      .finally(() => {
        this.#inFlight.delete(delivery.id);
        this.wake();
      });
    this.#inFlight.set(delivery.id, attempt);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { now, monotonicNow, sendTimeoutMs } = this.#options;
    const monotonicStart = monotonicNow();
    const startedAt = now();
    const signal = AbortSignal.any([this.#abortController.signal, AbortSignal.timeout(sendTimeoutMs)]);
    const outcome = await runTraced(
      { name: `deliver ${this.#channel}`, kind: 'client', isRoot: true },
      async (span) => {
        const sendOutcome = await this.#send(delivery, signal);
        span.set({ event: delivery.event.replace(/:.*$/, ''), outcome: sendOutcome.kind });
        if (sendOutcome.kind !== 'sent') span.fail(sendOutcome.code);
        return sendOutcome;
      },
    );
    if (this.#abortController.signal.aborted && outcome.kind !== 'sent' && outcome.kind !== 'unknown') {
      await this.#queue.release(delivery);
      return;
    }
    const at = now();
    if (outcome.kind === 'pause') this.#pause.pause(outcome.reason, monotonicNow(), outcome.retryAfterMs);
    else if (outcome.kind !== 'unknown') this.#pause.end();
    const leaseEnd = monotonicStart + this.#options.leaseMs;
    await this.#recordOutcome(delivery, outcome, at, Math.max(0, at - startedAt), leaseEnd);
    this.#yieldAfter(monotonicStart);
  }

  #yieldAfter(startedAt: number): void {
    const { monotonicNow, lastQueuedAt } = this.#options;
    if (lastQueuedAt() <= startedAt) return;
    const at = monotonicNow();
    this.#yieldsUntil = at + Math.min(MAX_YIELD_MS, YIELD_FACTOR * (at - startedAt));
  }

  async #send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
    try {
      return await this.#sender.send(delivery, signal);
    } catch (error) {
      this.#options.log.error(
        { stack: stackWithoutMessage(error), delivery: delivery.id },
        'sending a delivery failed',
      );
      return { kind: 'unknown', code: 'internal', error: 'The portal failed while sending. See its log.' };
    }
  }

  #afterAttempt(delivery: Delivery, outcome: SendOutcome, at: number): [AttemptOutcome, StateAfterAttempt] {
    if (outcome.kind === 'sent' || outcome.kind === 'dead') return [outcome.kind, { state: outcome.kind }];
    if (outcome.kind === 'pause') return ['retry', { state: 'waiting', nextAttemptAt: at, counts: false }];
    const attempts = delivery.attemptCount + 1;
    if (this.#options.isLastAttempt(delivery, attempts, at)) {
      return [outcome.kind === 'unknown' ? 'unknown' : 'dead', { state: 'dead' }];
    }
    const { retryWait, random } = this.#options;
    const nextAttemptAt = at + retryWait(attempts, random());
    return [outcome.kind, { state: 'waiting', nextAttemptAt, counts: true }];
  }

  /**
   * Stores an attempt. While the store cannot be used, tries again until the lease ends or the lane stops. Without these
   * retries, even an outage of a second would cause messages to be sent twice.
   * @param leaseEnd by the monotonic clock
   */
  async #storeAttempt(
    delivery: Delivery,
    attempt: DeliveryAttempt,
    after: StateAfterAttempt,
    leaseEnd: number,
  ): Promise<'recorded' | 'stale'> {
    const { monotonicNow } = this.#options;
    for (;;) {
      try {
        return await this.#queue.recordAttempt(delivery, attempt, after);
      } catch (error) {
        const mayRetry = !this.#isStopped && monotonicNow() + LOG_RETRY_MS < leaseEnd;
        if (!mayRetry || !(error instanceof StoreUnavailableError)) throw error;
      }
      await pause(LOG_RETRY_MS);
    }
  }

  async #recordOutcome(
    delivery: Delivery,
    outcome: SendOutcome,
    at: number,
    latencyMs: number,
    leaseEnd: number,
  ): Promise<void> {
    const { log, onAttempt } = this.#options;
    const [loggedOutcome, after] = this.#afterAttempt(delivery, outcome, at);
    const details =
      outcome.kind === 'sent'
        ? { providerId: outcome.providerId, code: null, error: null }
        : { providerId: null, code: outcome.code, error: outcome.error };
    const maskedRecipient = this.maskedRecipient(delivery);
    const attempt: DeliveryAttempt = { at, outcome: loggedOutcome, ...details, maskedRecipient, latencyMs };
    const isStale = (await this.#storeAttempt(delivery, attempt, after, leaseEnd)) === 'stale';
    const { id, event, referenceNumber, audience } = delivery;
    const channel = this.#channel;
    const logFields = {
      delivery: id,
      event,
      referenceNumber,
      channel,
      audience,
      outcome: loggedOutcome,
      latencyMs,
    };
    const { code } = attempt;
    if (isStale)
      log.warn(logFields, 'delivery attempt not logged: its lease had ended, or an earlier try logged it');
    else if (outcome.kind === 'pause')
      log.warn({ ...logFields, code, reason: outcome.reason }, 'channel paused');
    else if (after.state === 'dead') log.error({ ...logFields, code }, 'delivery failed');
    else log.info({ ...logFields, code }, 'delivery attempt');
    if (!isStale) onAttempt(loggedOutcome, latencyMs);
  }
}
