import type { EndpointHealth } from '../../data/store/ports.ts';
import type { EndpointStanding } from './endpoint-choice.ts';
import type { RetryableRpcError } from './rpc-errors.ts';
import { redactor } from './server-words.ts';
import { createSlidingCount } from './sliding-count.ts';
import { SLOTS_APART, type SlotSeen } from './slot-plausibility.ts';

const WINDOW = { windowMs: 5 * 60_000, buckets: 30 } as const;
/** Weight of the newest measurement in the moving average of latency. */
const LATENCY_WEIGHT = 0.2;
/** Failures in a row after which an endpoint no longer counts as active. */
const FAILURES_TO_INACTIVE = 3;
/** Milliseconds in which it answers nothing but errors, after which it no longer counts as active either. */
const ONLY_ERRORS_MS = 30_000;
/** How long an endpoint is put aside the first time, and at most; each time doubles it. */
const FIRST_ASIDE_MS = 60_000;
const LONGEST_ASIDE_MS = 30 * 60_000;
/** Milliseconds of trust after which the next time counts as the first. */
const TRUSTED_AGAIN_MS = 60 * 60_000;
/**
 * How long a node that says it has no transaction history is not asked for any the first time, and at most; each time
 * doubles it. Not for ever: behind one address there may be several nodes.
 */
const FIRST_NO_HISTORY_MS = 5_000;
const LONGEST_NO_HISTORY_MS = 10 * 60_000;

/** Milliseconds that an endpoint may lag by more slots than healthy nodes are apart, before it is put aside. */
const LAGS_FOR_MS = 10_000;
/** Milliseconds from one slot that an endpoint's pace is measured from to the next, so that no slack adds up. */
const PACE_MS = 60_000;

/** One endpoint and what is known of it. */
export interface EndpointRecord extends EndpointStanding {
  /** Host and port, never the path or the query, which may hold a key. */
  readonly name: string;
  readonly url: string;
  /** A request is sent to it. */
  requested(): void;
  /** It answered a request that did some work. */
  succeeded(latencyMs: number): void;
  /**
   * It answered a small request that was sent to measure it. Once there is such a measurement, it alone counts for the
   * latency: what work takes depends on the work.
   */
  measured(latencyMs: number): void;
  /** It failed as a whole. */
  failed(error: RetryableRpcError): void;
  /** It answered, but a call got an error from it: counted, and no reason to leave it alone. */
  refusedCall(error: RetryableRpcError): void;
  /** It told the slot that it has reached, which is so many behind the furthest that was known when it was asked. */
  reached(slot: number, slotLag: number): void;
  /** It said itself how many slots it is behind. */
  isBehindBy(slots: number): void;
  /** It has no transaction history: it is not asked for these methods, for a time that grows each time. */
  lacksHistory(methods: readonly string[]): void;
  /** It answered a call of this method. */
  answered(method: string): void;
  mayAnswer(method: string): boolean;
  /** Whether there is no method that it may not be asked for. */
  readonly mayAnswerAll: boolean;
  /**
   * It is not believed: it is not asked for work for minutes that grow each time, and its chain and slot are looked at
   * anew afterwards. Where it is aside already, nothing changes.
   */
  putAside(reason: string): void;
  /** It will never be of use, as one of another chain. */
  putAsideForGood(reason: string): void;
  /** Whether it may not be asked for work: it is not believed, or has lagged for long and has not caught up yet. */
  readonly isAside: boolean;
  readonly isDistrusted: boolean;
  readonly isAsideForGood: boolean;
  /** The chain it answers for, once it was asked. */
  genesisHash: string | null;
  /** The newest slot that it told since it is believed. */
  readonly slot: number | null;
  /** When it last told its slot; null before. */
  readonly slotToldAt: number | null;
  /** A slot that it told since it is believed, at most a minute before its newest: how far it may be follows from it. */
  readonly pacedFrom: SlotSeen | null;
  readonly lastError: string | null;
  /** @param isResting whether it is left alone after a failure */
  health(isResting: boolean): EndpointHealth;
}

/** @param clock.now milliseconds of a clock that never steps back */
export function createEndpointRecord(
  name: string,
  url: string,
  { now, random }: { readonly now: () => number; readonly random: () => number },
): EndpointRecord {
  const redact = redactor(url);
  const requests = createSlidingCount({ ...WINDOW, now });
  const errors = createSlidingCount({ ...WINDOW, now });
  const askedForAgain = new Map<string, number>();
  let timesWithoutHistory = 0;
  let genesisHash: string | null = null;
  let latency: number | null = null;
  let isMeasured = false;
  let slot: number | null = null;
  let isSlotBelieved = true;
  let slotToldAt: number | null = null;
  let pacedFrom: SlotSeen | null = null;
  let slotLag: number | null = null;
  let lagsSince: number | null = null;
  let isLagging = false;
  let failures = 0;
  let hasAnswered = false;
  let onlyErrorsSince: number | null = null;
  let asideUntil = Number.NEGATIVE_INFINITY;
  let timesAside = 0;
  let lastError: string | null = null;

  const noteError = (error: RetryableRpcError): void => {
    errors.add();
    lastError = redact(error.message);
  };
  const noteAnswer = (): void => {
    hasAnswered = true;
    failures = 0;
    onlyErrorsSince = null;
  };
  const smooth = (latencyMs: number): void => {
    latency = latency === null ? latencyMs : latency + LATENCY_WEIGHT * (latencyMs - latency);
  };
  const isFaltering = () => onlyErrorsSince !== null && now() - onlyErrorsSince > ONLY_ERRORS_MS;
  const isDistrusted = () => now() < asideUntil;
  const isAside = () => isDistrusted() || isLagging;
  const noteLag = (slots: number): void => {
    slotLag = slots;
    if (slots <= SLOTS_APART) {
      lagsSince = null;
      isLagging = false;
      return;
    }
    lagsSince ??= now();
    if (now() - lagsSince <= LAGS_FOR_MS) return;
    isLagging = true;
    lastError = `it is ${slots} slots behind`;
  };
  const forgetClaims = (reason: string): void => {
    lastError = redact(reason);
    genesisHash = null;
    isSlotBelieved = false;
    pacedFrom = null;
    slotLag = null;
    lagsSince = null;
    isLagging = false;
  };

  return {
    name,
    url,
    get genesisHash() {
      return genesisHash;
    },
    set genesisHash(hash) {
      genesisHash = hash;
    },
    get failures() {
      return failures;
    },
    get isFaltering() {
      return isFaltering();
    },
    get latencyMs() {
      return latency;
    },
    get slot() {
      return isSlotBelieved ? slot : null;
    },
    get slotToldAt() {
      return slotToldAt;
    },
    get pacedFrom() {
      return pacedFrom;
    },
    get slotLag() {
      return slotLag;
    },
    get isAside() {
      return isAside();
    },
    get isDistrusted() {
      return isDistrusted();
    },
    get isAsideForGood() {
      return asideUntil === Number.POSITIVE_INFINITY;
    },
    get lastError() {
      return lastError;
    },
    requested: () => requests.add(),
    succeeded(latencyMs) {
      noteAnswer();
      if (!isMeasured) smooth(latencyMs);
    },
    measured(latencyMs) {
      noteAnswer();
      if (!isMeasured) latency = null;
      isMeasured = true;
      smooth(latencyMs);
    },
    failed(error) {
      noteError(error);
      failures += 1;
    },
    refusedCall(error) {
      noteError(error);
      onlyErrorsSince ??= now();
    },
    reached(told, lag) {
      slot = isSlotBelieved && slot !== null ? Math.max(slot, told) : told;
      isSlotBelieved = true;
      slotToldAt = now();
      if (pacedFrom === null || slotToldAt - pacedFrom.at > PACE_MS) pacedFrom = { slot, at: slotToldAt };
      noteLag(lag);
    },
    isBehindBy: noteLag,
    lacksHistory(methods) {
      const rest = Math.min(LONGEST_NO_HISTORY_MS, FIRST_NO_HISTORY_MS * 2 ** timesWithoutHistory);
      timesWithoutHistory = Math.min(timesWithoutHistory + 1, 10);
      for (const method of methods) askedForAgain.set(method, now() + rest);
    },
    answered(method) {
      if (!askedForAgain.has(method)) return;
      timesWithoutHistory = 0;
      askedForAgain.clear();
    },
    get mayAnswerAll() {
      return askedForAgain.size === 0;
    },
    mayAnswer: (method) => (askedForAgain.get(method) ?? Number.NEGATIVE_INFINITY) <= now(),
    putAside(reason) {
      if (isDistrusted()) return;
      if (now() - asideUntil > TRUSTED_AGAIN_MS) timesAside = 0;
      const minutes = Math.min(LONGEST_ASIDE_MS, FIRST_ASIDE_MS * 2 ** timesAside);
      timesAside = Math.min(timesAside + 1, 10);
      // Never less than the minutes; a part more, so that programs which saw one fault do not return together.
      asideUntil = now() + minutes * (1 + random() / 4);
      forgetClaims(reason);
    },
    putAsideForGood(reason) {
      asideUntil = Number.POSITIVE_INFINITY;
      forgetClaims(reason);
    },
    health(isResting) {
      const state = isAside() ? 'put-aside' : isResting ? 'resting' : 'active';
      const isFailing = failures >= FAILURES_TO_INACTIVE || isFaltering();
      return {
        name,
        active: state !== 'put-aside' && hasAnswered && !isFailing,
        state,
        latencyMs: latency === null ? null : Math.round(latency),
        // While it is put aside, what it told says why. Afterwards that is not what it has reached.
        slot: isSlotBelieved || isDistrusted() ? slot : null,
        slotLag,
        requestCount: requests.total(),
        errorCount: errors.total(),
        lastError,
      };
    },
  };
}
