import { MAX_SLOT_DISTANCE, REQUEST_WINDOW_MS } from '../../data/model/value-state.ts';
import type { EndpointHealth } from '../../data/store/ports.ts';
import type { ObservedSlot } from './endpoint-comparison.ts';
import { createSlidingCounter } from './endpoint-limits.ts';
import { createCreditLookup } from './providers.ts';
import { type RetryableRpcError, redactor } from './rpc-errors.ts';
import { HISTORY_METHOD_NAMES } from './solana-calls.ts';

const DAY_MS = 86_400_000;
const CREDIT_COUNTER = { windowMs: 3_600_000, buckets: 60 } as const;
/** How long requests must be counted before credits per day can be estimated (ms). */
const MIN_COUNTED_MS = 300_000;
const REQUEST_COUNTER = { windowMs: REQUEST_WINDOW_MS, buckets: 30 } as const;
/** Weight of the newest measurement in the moving average of latency. */
const LATENCY_WEIGHT = 0.2;
/** An endpoint no longer counts as active after this many failures in a row. */
const FAILURES_TO_INACTIVE = 3;
/** Milliseconds with nothing but errors after which an endpoint no longer counts as active. */
const ONLY_ERRORS_MS = 30_000;
/** How long an endpoint is distrusted (ms): at first, and at most. The duration doubles each time. */
const FIRST_DISTRUST_MS = 60_000;
const MAX_DISTRUST_MS = 30 * 60_000;
/** After this long without distrust (ms), the duration starts again at `FIRST_DISTRUST_MS`. */
const DISTRUST_RESET_MS = 60 * 60_000;
/**
 * How long an endpoint without transaction history gets no history calls (ms): at first, and at most. The duration doubles
 * each time. The calls are retried because one URL may lead to several nodes.
 */
const FIRST_NO_HISTORY_MS = 5_000;
const MAX_NO_HISTORY_MS = 10 * 60_000;
const noHistoryMs = (timesBefore: number): number =>
  Math.min(MAX_NO_HISTORY_MS, FIRST_NO_HISTORY_MS * 2 ** timesBefore);
/** Milliseconds after which the slot rate is measured from a newer slot. Otherwise the allowed lead would keep growing. */
const SLOT_RATE_WINDOW_MS = 60_000;

/** @param clock.now milliseconds of a monotonic clock */
export function createEndpointRecord(
  name: string,
  url: string,
  { now, random }: { readonly now: () => number; readonly random: () => number },
) {
  const redact = redactor(url);
  const requestCounter = createSlidingCounter({ ...REQUEST_COUNTER, now });
  const errorCounter = createSlidingCounter({ ...REQUEST_COUNTER, now });
  const creditCounter = createSlidingCounter({ ...CREDIT_COUNTER, now });
  const creditsOf = createCreditLookup(url);
  const createdAt = now();
  const historyRetryAt = new Map<string, number>();
  let timesWithoutHistory = 0;
  let gapUntil = Number.NEGATIVE_INFINITY;
  let gapCount = 0;
  let isLatencyMeasured = false;
  let newestSlot: number | null = null;
  let isSlotTrusted = true;
  let hasAnswered = false;
  let onlyErrorsSince: number | null = null;
  let distrustedUntil = Number.NEGATIVE_INFINITY;
  let timesDistrusted = 0;

  const noteError = (error: RetryableRpcError): void => {
    errorCounter.add();
    record.noteReason(error);
  };
  const noteReply = (): void => {
    hasAnswered = true;
    record.failures = 0;
    onlyErrorsSince = null;
  };
  const smooth = (latencyMs: number): void => {
    const average = record.latencyMs;
    record.latencyMs = average === null ? latencyMs : average + LATENCY_WEIGHT * (latencyMs - average);
  };
  const forgetClaims = (reason: string): void => {
    record.lastError = redact(reason);
    record.genesisHash = null;
    isSlotTrusted = false;
    record.slotRateStart = null;
    record.slotLag = null;
  };

  const creditsPerDay = (): number | null => {
    const countedMs = Math.min(now() - createdAt, CREDIT_COUNTER.windowMs);
    return countedMs < MIN_COUNTED_MS ? null : Math.round((creditCounter.total() * DAY_MS) / countedMs);
  };

  const record = {
    /** Host and port, never the path or the query, which may hold a key. */
    name,
    url,
    /** Failures since the last success. */
    failures: 0,
    genesisHash: null as string | null,
    latencyMs: null as number | null,
    /** Slots behind the endpoint with the newest slot; null if this endpoint's slot is not known. */
    slotLag: null as number | null,
    slotReportedAt: null as number | null,
    /**
     * The slot from which the slot rate is measured. The endpoint reported it while trusted, at most a minute before its
     * newest slot.
     */
    slotRateStart: null as ObservedSlot | null,
    lastError: null as string | null,

    get answersOnlyErrors(): boolean {
      return onlyErrorsSince !== null && now() - onlyErrorsSince > ONLY_ERRORS_MS;
    },
    /** The newest slot that the endpoint reported while trusted. */
    get slot(): number | null {
      return isSlotTrusted ? newestSlot : null;
    },
    /** Whether the endpoint is too far behind to judge the slots of others. */
    get isLagging(): boolean {
      return (record.slotLag ?? 0) > MAX_SLOT_DISTANCE;
    },
    get isDistrusted(): boolean {
      return now() < distrustedUntil;
    },
    get isExcluded(): boolean {
      return distrustedUntil === Number.POSITIVE_INFINITY;
    },
    noteRequest(methods: readonly string[]): void {
      requestCounter.add();
      creditCounter.add(methods.reduce((sum, method) => sum + creditsOf(method), 0));
    },
    /** Once `noteLatency` has been called, `latencyMs` is ignored. */
    noteSuccess(latencyMs: number): void {
      noteReply();
      if (!isLatencyMeasured) smooth(latencyMs);
    },
    /** Records the answer to a small measuring request. From then on, only the latency of such requests counts. */
    noteLatency(latencyMs: number): void {
      noteReply();
      if (!isLatencyMeasured) record.latencyMs = null;
      isLatencyMeasured = true;
      smooth(latencyMs);
    },
    noteFailure(error: RetryableRpcError): void {
      noteError(error);
      record.failures += 1;
    },
    /** Records an answer in which at least one call got an error. This causes no backoff. */
    noteCallError(error: RetryableRpcError): void {
      noteError(error);
      onlyErrorsSince ??= now();
    },
    /** Shows a reason as the last error without counting an error. */
    noteReason({ message }: RetryableRpcError): void {
      record.lastError = redact(message);
    },
    /** @param slotLag slots behind the newest slot that any endpoint had reported when the request was sent */
    noteSlot(reported: number, slotLag: number): void {
      newestSlot = isSlotTrusted && newestSlot !== null ? Math.max(newestSlot, reported) : reported;
      isSlotTrusted = true;
      const at = now();
      record.slotReportedAt = at;
      const { slotRateStart } = record;
      if (slotRateStart === null || at - slotRateStart.at > SLOT_RATE_WINDOW_MS)
        record.slotRateStart = { slot: newestSlot, at };
      record.slotLag = slotLag;
    },
    /** Stops calls to these methods for a while. */
    noteMissingHistory(methods: readonly string[]): void {
      const waitMs = noHistoryMs(timesWithoutHistory);
      timesWithoutHistory = Math.min(timesWithoutHistory + 1, 10);
      for (const method of methods) historyRetryAt.set(method, now() + waitMs);
    },
    /** If the answered method was stopped for missing history, allows all stopped methods again. */
    noteAnswer(method: string): void {
      if (!historyRetryAt.has(method)) return;
      timesWithoutHistory = 0;
      historyRetryAt.clear();
    },
    /**
     * Stops history calls for a while, because the endpoint lacks older history. It still answers calls about newer history,
     * so an answer does not end this pause or shorten the next one. Has no effect during such a pause.
     */
    noteHistoryGap(): void {
      if (now() < gapUntil) return;
      if (now() - gapUntil > MAX_NO_HISTORY_MS) gapCount = 0;
      gapUntil = now() + noHistoryMs(gapCount);
      gapCount = Math.min(gapCount + 1, 10);
    },
    get supportsAll(): boolean {
      return historyRetryAt.size === 0 && gapUntil <= now();
    },
    supports: (method: string): boolean =>
      (historyRetryAt.get(method) ?? Number.NEGATIVE_INFINITY) <= now() &&
      (gapUntil <= now() || !HISTORY_METHOD_NAMES.includes(method)),
    /**
     * Distrusts the endpoint, each time for twice as long. After that time, its chain and slot are checked again. Has
     * no effect while the endpoint is already distrusted.
     */
    distrust(reason: string): void {
      if (record.isDistrusted) return;
      if (now() - distrustedUntil > DISTRUST_RESET_MS) timesDistrusted = 0;
      const durationMs = Math.min(MAX_DISTRUST_MS, FIRST_DISTRUST_MS * 2 ** timesDistrusted);
      timesDistrusted = Math.min(timesDistrusted + 1, 10);
      // The time is lengthened by up to a quarter, so that clients that saw the same error do not retry together.
      distrustedUntil = now() + durationMs * (1 + random() / 4);
      forgetClaims(reason);
    },
    /** Excludes the endpoint until `include` is called, for example because it serves a different chain. */
    exclude(reason: string): void {
      distrustedUntil = Number.POSITIVE_INFINITY;
      forgetClaims(reason);
    },
    include(): void {
      if (record.isExcluded) distrustedUntil = Number.NEGATIVE_INFINITY;
    },
    health(isBackingOff: boolean): EndpointHealth {
      const state = record.isDistrusted ? 'distrusted' : isBackingOff ? 'backoff' : 'active';
      const isFailing = record.failures >= FAILURES_TO_INACTIVE || record.answersOnlyErrors;
      return {
        name,
        active: state !== 'distrusted' && hasAnswered && !isFailing,
        state,
        latencyMs: record.latencyMs === null ? null : Math.round(record.latencyMs),
        // While the endpoint is distrusted, its slot is shown, because it explains the distrust. After that, the endpoint
        // must first report a slot again.
        slot: isSlotTrusted || record.isDistrusted ? newestSlot : null,
        slotLag: record.slotLag,
        requestCount: requestCounter.total(),
        errorCount: errorCounter.total(),
        creditsPerDay: creditsPerDay(),
        lastError: record.lastError,
      };
    },
  };
  return record;
}
