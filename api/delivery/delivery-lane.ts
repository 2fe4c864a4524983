import type { Logger } from '../../data/runtime/log.ts';
import type {
  AfterAttempt,
  AttemptOutcome,
  DeliveryAttempt,
  DeliveryChannel,
  DeliveryStore,
  LeasedDelivery,
} from '../../data/store/delivery-port.ts';
import { MOST_ATTEMPTS } from './backoff.ts';
import { ChannelPause } from './channel-pause.ts';
import type { Sender, SendOutcome } from './send-outcome.ts';

export interface LaneOptions {
  readonly store: DeliveryStore;
  readonly log: Logger;
  /** Unix ms. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Milliseconds to wait after a number of tries. */
  readonly retryWait: (attempts: number, random: number) => number;
  /** Messages of a channel that are under way at once. */
  readonly atOnce: number;
  /** Milliseconds that one try may take. A lease is longer than that. */
  readonly sendWithin: number;
  readonly leaseFor: number;
  /** Milliseconds that never go back. */
  readonly steady: () => number;
  /** When something was queued last, by the steady clock. */
  readonly lastQueuedAt: () => number;
  /** Hears of each try that was logged. */
  readonly onAttempt: (channel: DeliveryChannel, outcome: AttemptOutcome, latencyMs: number) => void;
}

/** Milliseconds after which the queue is looked at in any case, and after a fault of the store. */
const LOOK_EVERY = 30_000;
const STORE_REST = 5_000;
/** No look follows another one faster than this, however often deliveries fall due. Milliseconds. */
const SHORTEST_REST = 10;

/**
 * While people send in, a delivery is followed by a rest so many times as long: whoever waits for an acknowledgement has
 * the processor and the disk before whoever waits for a mail. The longest rest, in milliseconds, keeps mails going.
 */
const REST_TIMES = 9;
const LONGEST_REST = 1_000;

/** Where an error comes from, without its message: that may hold what was to be sent, and to whom. */
function placesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error];
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...places.map((line) => line.trim())];
}

/** Delivers what one channel has to. Nothing is sent inside a transaction: leasing, sending and logging are three steps. */
export class DeliveryLane {
  readonly #channel: DeliveryChannel;
  readonly #sender: Sender;
  readonly #options: LaneOptions;
  readonly #pause: ChannelPause;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  #filling: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopped = false;
  /** Nothing more is taken up before this, by the steady clock. */
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(channel: DeliveryChannel, sender: Sender, options: LaneOptions) {
    this.#channel = channel;
    this.#sender = sender;
    this.#options = options;
    this.#pause = new ChannelPause(options.random);
  }

  /** Why nothing is sent at the moment; null where the channel is in use. */
  get pauseReason(): ChannelPause['reason'] {
    return this.#pause.reason;
  }

  /** Whether this process is sending a delivery, and will say how that went. */
  holds(id: string): boolean {
    return this.#underWay.has(id);
  }

  maskedRecipient(delivery: LeasedDelivery): string {
    return this.#sender.maskedRecipient(delivery);
  }

  /** Looks at the queue now, or again where that is being done. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#filling) {
      this.#isAskedAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    const rest = this.#restsUntil - this.#options.steady();
    if (rest > 0) {
      this.#wakeIn(rest);
      return;
    }
    this.#filling = this.#fill()
      .catch((error) => {
        this.#options.log.error({ err: error, channel: this.#channel }, 'the deliveries cannot be read');
        this.#wakeIn(STORE_REST);
      })
      .finally(() => {
        this.#filling = null;
        const isAskedAgain = this.#isAskedAgain;
        this.#isAskedAgain = false;
        if (isAskedAgain) this.wake();
      });
  }

  /** Takes nothing new, and lets what is under way end for so many milliseconds; then breaks it off. */
  async stop(within: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#filling;
    const deadline = setTimeout(() => this.#abort.abort(), within);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
    clearTimeout(deadline);
  }

  #wakeIn(milliseconds: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const rest = Math.min(LOOK_EVERY, Math.max(SHORTEST_REST, milliseconds));
    this.#timer = setTimeout(() => this.wake(), rest);
  }

  async #fill(): Promise<void> {
    const { store, now, atOnce, leaseFor } = this.#options;
    const at = now();
    const busy = this.#underWay.size;
    // What is under way wakes the lane when it ends.
    const limit = this.#pause.reason === null ? atOnce - busy : this.#pause.room(at, busy === 0 ? 1 : 0);
    if (limit > 0) {
      const terms = { channel: this.#channel, now: at, leasedUntil: at + leaseFor, limit };
      for (const delivery of await store.claimDue(terms)) this.#start(delivery);
    }
    const isFull = this.#underWay.size >= atOnce || (this.#pause.reason !== null && this.#underWay.size > 0);
    if (isFull) return;
    const due = await store.nextDueAt(this.#channel);
    this.#wakeIn(due === null ? LOOK_EVERY : Math.max(due, this.#pause.until) - now());
  }

  #start(delivery: LeasedDelivery): void {
    const ended = this.#deliver(delivery)
      .catch((error) => {
        // The lease ends by itself, and the delivery counts as one of unknown outcome then.
        this.#options.log.error({ err: error, delivery: delivery.id }, 'a delivery attempt cannot be logged');
      })
      .finally(() => {
        this.#underWay.delete(delivery.id);
        this.wake();
      });
    this.#underWay.set(delivery.id, ended);
  }

  async #deliver(delivery: LeasedDelivery): Promise<void> {
    const { store, now, steady, sendWithin } = this.#options;
    const begunAt = steady();
    const startedAt = now();
    const outcome = await this.#send(
      delivery,
      AbortSignal.any([this.#abort.signal, AbortSignal.timeout(sendWithin)]),
    );
    if (this.#abort.signal.aborted && outcome.kind !== 'sent' && outcome.kind !== 'unknown') {
      await store.release(delivery);
      return;
    }
    const at = now();
    if (outcome.kind === 'pause') this.#pause.pause(outcome.reason, at, outcome.retryAfterMs);
    else if (outcome.kind !== 'unknown') this.#pause.end();
    await this.#record(delivery, outcome, at, Math.max(0, at - startedAt));
    this.#giveWay(begunAt);
  }

  /** Rests after a delivery during which something was queued. */
  #giveWay(begunAt: number): void {
    const { steady, lastQueuedAt } = this.#options;
    if (lastQueuedAt() <= begunAt) return;
    const at = steady();
    this.#restsUntil = at + Math.min(LONGEST_REST, REST_TIMES * (at - begunAt));
  }

  async #send(delivery: LeasedDelivery, signal: AbortSignal): Promise<SendOutcome> {
    try {
      return await this.#sender.send(delivery, signal);
    } catch (error) {
      this.#options.log.error({ fault: placesOf(error), delivery: delivery.id }, 'sending a delivery failed');
      return {
        kind: 'unknown',
        code: 'fault',
        error: 'The portal itself failed while sending; its log says how.',
      };
    }
  }

  /** What becomes of the delivery, and how the try is logged. */
  #verdict(delivery: LeasedDelivery, outcome: SendOutcome, at: number): [AttemptOutcome, AfterAttempt] {
    if (outcome.kind === 'sent' || outcome.kind === 'dead') return [outcome.kind, { state: outcome.kind }];
    if (outcome.kind === 'pause') return ['retry', { state: 'waiting', nextAttemptAt: at, counts: false }];
    const attempts = delivery.attemptCount + 1;
    if (attempts >= MOST_ATTEMPTS) {
      return [outcome.kind === 'unknown' ? 'unknown' : 'dead', { state: 'dead' }];
    }
    const { retryWait, random } = this.#options;
    return [
      outcome.kind,
      { state: 'waiting', nextAttemptAt: at + retryWait(attempts, random()), counts: true },
    ];
  }

  async #record(
    delivery: LeasedDelivery,
    outcome: SendOutcome,
    at: number,
    latencyMs: number,
  ): Promise<void> {
    const { store, log, onAttempt } = this.#options;
    const [logged, after] = this.#verdict(delivery, outcome, at);
    const attempt: DeliveryAttempt = {
      at,
      outcome: logged,
      providerId: outcome.kind === 'sent' ? outcome.providerId : null,
      code: outcome.kind === 'sent' ? null : outcome.code,
      error: outcome.kind === 'sent' ? null : outcome.error,
      maskedRecipient: this.#sender.maskedRecipient(delivery),
      latencyMs,
    };
    const isStale = (await store.recordAttempt(delivery, attempt, after)) === 'stale';
    const { id, event, referenceNumber, channel, audience } = delivery;
    const line = { delivery: id, event, referenceNumber, channel, audience, outcome: logged, latencyMs };
    const { code } = attempt;
    if (isStale) log.warn(line, 'a delivery attempt came too late to be logged: another one holds it');
    else if (outcome.kind === 'pause') log.warn({ ...line, code, reason: outcome.reason }, 'channel paused');
    else if (after.state === 'dead') log.error({ ...line, code }, 'delivery given up');
    else log.info({ ...line, code }, 'delivery attempt');
    if (!isStale) onAttempt(channel, logged, latencyMs);
  }
}
