import type { EndpointHealth } from '../../data/store/ports.ts';
import { backoffDelay } from './backoff.ts';
import type { RetryableRpcError } from './rpc-errors.ts';

const ERROR_WINDOW_MS = 5 * 60_000;
/** Weight of the newest measurement in the moving average of latency. */
const LATENCY_WEIGHT = 0.2;
/** Failures in a row after which an endpoint no longer counts as active. */
const FAILURES_TO_INACTIVE = 3;
/** Milliseconds in which it answers nothing but errors, after which it no longer counts as active either. */
const ONLY_ERRORS_MS = 30_000;

/** One endpoint and what is known of it. */
export interface EndpointRecord {
  /** Host and port, never the path or the query, which may hold a key. */
  readonly name: string;
  readonly url: string;
  succeeded(latencyMs: number): void;
  /** It failed as a whole: it rests for a while. */
  failed(error: RetryableRpcError): void;
  /** It answered, but a call got an error from it: counted, and no reason to leave it alone. */
  refusedCall(error: RetryableRpcError): void;
  sawSlot(slot: number): void;
  /** Puts the endpoint aside for good, with the reason. */
  bar(reason: string): void;
  readonly isBarred: boolean;
  /** The chain it answers for, once it was asked. */
  genesisHash: string | null;
  /** Failures since the last success. */
  readonly failures: number;
  /** For long it answered errors alone: others come first. */
  readonly isFaltering: boolean;
  /** The moment before which it is left alone. */
  readonly notBefore: number;
  /** The moment of the last answer or failure; minus infinity where it was never asked. */
  readonly lastContact: number;
  health(): EndpointHealth;
}

/** @param clock.now milliseconds of a clock that never steps back */
export function createEndpointRecord(
  name: string,
  url: string,
  { now, random }: { readonly now: () => number; readonly random: () => number },
): EndpointRecord {
  const redact = redactor(url);
  let genesisHash: string | null = null;
  let latency: number | null = null;
  let slot: number | null = null;
  let failures = 0;
  let notBefore = 0;
  let lastContact = Number.NEGATIVE_INFINITY;
  let hasAnswered = false;
  let onlyErrorsSince: number | null = null;
  let barredFor: string | null = null;
  let lastError: string | null = null;
  let errorTimes: number[] = [];

  const recentErrors = () => {
    const oldest = now() - ERROR_WINDOW_MS;
    if ((errorTimes[0] ?? oldest) < oldest) errorTimes = errorTimes.filter((at) => at >= oldest);
    return errorTimes.length;
  };
  const noteError = (error: RetryableRpcError): void => {
    lastContact = now();
    recentErrors();
    errorTimes.push(lastContact);
    lastError = redact(error.message);
  };
  const isFaltering = () => onlyErrorsSince !== null && now() - onlyErrorsSince > ONLY_ERRORS_MS;

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
    get notBefore() {
      return notBefore;
    },
    get lastContact() {
      return lastContact;
    },
    get isBarred() {
      return barredFor !== null;
    },
    succeeded(latencyMs) {
      lastContact = now();
      hasAnswered = true;
      failures = 0;
      notBefore = 0;
      onlyErrorsSince = null;
      latency = latency === null ? latencyMs : latency + LATENCY_WEIGHT * (latencyMs - latency);
    },
    failed(error) {
      noteError(error);
      failures += 1;
      notBefore = lastContact + Math.max(error.retryAfterMs ?? 0, backoffDelay(failures, random));
    },
    refusedCall(error) {
      noteError(error);
      onlyErrorsSince ??= lastContact;
    },
    sawSlot(seen) {
      slot = seen;
    },
    bar(reason) {
      barredFor = reason;
    },
    health: () => ({
      name,
      active: barredFor === null && hasAnswered && failures < FAILURES_TO_INACTIVE && !isFaltering(),
      latencyMs: latency === null ? null : Math.round(latency),
      slot,
      errorCount: recentErrors(),
      lastError: barredFor ?? lastError,
    }),
  };
}

const LONGEST_MESSAGE = 160;

/** Takes out of a server's words whatever of the endpoint's URL may be a key. */
export function redactor(url: string): (message: string) => string {
  const { pathname, searchParams, username, password } = new URL(url);
  const secrets = [...pathname.split('/'), ...searchParams.values(), username, password]
    .flatMap((part) => [part, decoded(part)])
    .filter((part) => part.length >= 6);
  return (message) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, LONGEST_MESSAGE);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names for endpoints: the host, numbered where several share it. */
export function endpointNames(urls: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const times = (seen.get(host) ?? 0) + 1;
    seen.set(host, times);
    return times === 1 ? host : `${host} #${times}`;
  });
}
