/*
 * A request can fail with a `RetryableRpcError` (it may succeed later or at another endpoint) or an `RpcRequestError` (the
 * request itself was rejected, so the caller has to change it).
 */

type RpcFailure =
  /** There was no connection, or the connection broke. */
  | 'unreachable'
  | 'timeout'
  | 'rate-limit'
  /** HTTP 401, 403 or 410: the key is missing or wrong, or the method is not offered. */
  | 'refused'
  /** HTTP 408, 413, or 500 and above. */
  | 'server'
  | 'not-json-rpc'
  /** JSON that was truncated or damaged in transit. */
  | 'cut-off'
  /** JSON-RPC with ids or members that do not match the request. */
  | 'mismatch'
  /** A JSON-RPC error: the node cannot answer now, or it rejected the whole batch. */
  | 'node'
  /** A result that does not have the shape that its method promises. */
  | 'unreadable'
  /**
   * An answer that cannot be true: older than requested, older than the endpoint's previous answer, from a different chain, or
   * disproved.
   */
  | 'contradiction'
  /** The batch seems to contain more calls than the endpoint accepts. Its calls are sent again in smaller batches. */
  | 'too-large'
  /** Not sent: every endpoint was in backoff or at its rate limit, or the attempts ran out before one was ready. */
  | 'backoff'
  /** Not sent, because every endpoint is distrusted. */
  | 'distrusted';

/** Why a whole batch was rejected: it has too many calls, or the endpoint accepts no arrays. */
export type BatchRejection = 'size' | 'arrays';

interface RpcErrorDetails {
  /** The JSON-RPC code; null if the node sent none. */
  readonly code: number | null;
  /** How long the server asks the client to wait; null if it does not say. */
  readonly retryAfterMs: number | null;
  /** How many slots the node is behind the cluster, as reported with -32005. */
  readonly slotsBehind: number | null;
  /** The slot that the node has reached, as reported with -32016. */
  readonly contextSlot: number | null;
  readonly rejection: BatchRejection | null;
}

export class RetryableRpcError extends Error implements RpcErrorDetails {
  override readonly name = 'RetryableRpcError';
  readonly failure: RpcFailure;
  readonly code: number | null;
  readonly retryAfterMs: number | null;
  readonly slotsBehind: number | null;
  readonly contextSlot: number | null;
  readonly rejection: BatchRejection | null;

  constructor(failure: RpcFailure, message: string, options: ErrorOptions & Partial<RpcErrorDetails> = {}) {
    super(message, options);
    this.failure = failure;
    this.code = options.code ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.slotsBehind = options.slotsBehind ?? null;
    this.contextSlot = options.contextSlot ?? null;
    this.rejection = options.rejection ?? null;
  }
}

export class RpcRequestError extends Error {
  override readonly name = 'RpcRequestError';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method} was refused (${code}): ${message}`);
    this.code = code;
  }
}

/* A node's error codes. Sources: Agave, `rpc-client-api/src/custom_error.rs`; JSON-RPC 2.0, section 5.1. */
const BLOCK_NOT_AVAILABLE = -32004;
/** The node is far behind the cluster or unhealthy. The error's data may contain `numSlotsBehind`. */
const NODE_UNHEALTHY = -32005;
/** The slot was skipped, or the node lacks it because it started from a newer snapshot. */
const SLOT_SKIPPED = -32007;
const LONG_TERM_STORAGE_SLOT_SKIPPED = -32009;
export const TRANSACTION_HISTORY_NOT_AVAILABLE = -32011;
/** The node has the block but does not know its commitment level yet. */
const BLOCK_STATUS_NOT_AVAILABLE_YET = -32014;
const UNSUPPORTED_TRANSACTION_VERSION = -32015;
/** The node has not reached the requested slot. The error's data contains the node's own slot as `contextSlot`. */
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
const LONG_TERM_STORAGE_UNREACHABLE = -32019;
/** The node does not know the `before` or `until` signature. Sent by Agave 4 and later. */
export const FILTER_TRANSACTION_NOT_FOUND = -32020;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** On its free plan, Helius rejects arrays with HTTP 403 and this code (plans: helius.dev/docs/billing/plans). */
export const BATCHES_NOT_IN_PLAN = -32403;
/** Codes that providers send instead of HTTP 429. */
const RATE_LIMIT_CODES: readonly number[] = [-32429, 429];

/** Codes after which the same request may succeed later or at another endpoint. */
const RETRYABLE_CODES: ReadonlySet<number> = new Set([
  BLOCK_NOT_AVAILABLE,
  NODE_UNHEALTHY,
  SLOT_SKIPPED,
  LONG_TERM_STORAGE_SLOT_SKIPPED,
  TRANSACTION_HISTORY_NOT_AVAILABLE,
  BLOCK_STATUS_NOT_AVAILABLE_YET,
  MIN_CONTEXT_SLOT_NOT_REACHED,
  LONG_TERM_STORAGE_UNREACHABLE,
  INTERNAL_ERROR,
  ...RATE_LIMIT_CODES,
]);

export function rpcErrorOf(
  method: string,
  code: number,
  message: string,
  data: Partial<Pick<RpcErrorDetails, 'slotsBehind' | 'contextSlot'>> = {},
): RetryableRpcError | RpcRequestError {
  if (!RETRYABLE_CODES.has(code)) {
    const isUnsupportedVersion = code === UNSUPPORTED_TRANSACTION_VERSION;
    const remedy = isUnsupportedVersion
      ? ' The indexer does not support this transaction version; update it.'
      : '';
    return new RpcRequestError(method, code, `${message}${remedy}`);
  }
  const failure = RATE_LIMIT_CODES.includes(code) ? 'rate-limit' : 'node';
  return new RetryableRpcError(failure, `${method} failed (${code}): ${message}`, { code, ...data });
}

/**
 * Whether an endpoint does not serve the call at all. The public cluster sends 410, as a status or as a code
 * (https://github.com/solana-developers/solana-cookbook/issues/255); other nodes send -32601, or -32010 and -32012
 * (Agave, `rpc-client-api/src/custom_error.rs`).
 */
export function isRefusal(error: RetryableRpcError | RpcRequestError): boolean {
  return error instanceof RpcRequestError || error.failure === 'refused';
}

export function noHistoryError(method: string): RetryableRpcError {
  const message = `${method} was not requested: no endpoint keeps transaction history. Configure one that does.`;
  return new RetryableRpcError('node', message, { code: TRANSACTION_HISTORY_NOT_AVAILABLE });
}

/** How an error affects the endpoint that returned it. */
export type ErrorScope =
  /** The endpoint itself failed, so it is put in backoff. */
  | 'endpoint'
  /** The endpoint's answer cannot be true, so the endpoint is distrusted. */
  | 'trust'
  /** The endpoint has no transaction history, so it gets no history calls for a while. This does not count as a failure. */
  | 'history'
  /** The endpoint does not have the requested data and never will. Another endpoint may have it. */
  | 'not-here'
  /** The endpoint has not reached the requested slot yet. This does not count as a failure. */
  | 'behind'
  /** The endpoint will have the requested data in a moment. */
  | 'soon'
  /** Only this call failed. Another endpoint may answer it, or the same endpoint later. */
  | 'call';

const SCOPE_BY_CODE: ReadonlyMap<number, ErrorScope> = new Map([
  [NODE_UNHEALTHY, 'endpoint'],
  [TRANSACTION_HISTORY_NOT_AVAILABLE, 'history'],
  [SLOT_SKIPPED, 'not-here'],
  [LONG_TERM_STORAGE_SLOT_SKIPPED, 'not-here'],
  [MIN_CONTEXT_SLOT_NOT_REACHED, 'behind'],
  [BLOCK_STATUS_NOT_AVAILABLE_YET, 'soon'],
]);

export function scopeOf({ failure, code }: RetryableRpcError): ErrorScope {
  if (failure === 'contradiction') return 'trust';
  if (failure === 'rate-limit') return 'endpoint';
  return (code !== null && SCOPE_BY_CODE.get(code)) || 'call';
}

const MAX_LENGTH = 200;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const URLS = /\b[a-z][a-z0-9+.-]*:\/\/\S+/giu;

/**
 * Makes a server's message safe to log, store and show: it removes URLs, parts of the endpoint's URL that may be keys, and
 * control characters, and truncates the message to 200 characters.
 */
export function redactor(url: string): (message: string) => string {
  const { pathname, search, searchParams, username, password } = new URL(url);
  const secrets = [
    ...pathname.split('/'),
    ...search.split(/[?&=]/),
    ...searchParams.values(),
    username,
    password,
  ]
    .flatMap((part) => [part, decodeUrlPart(part)])
    .filter((part) => part.length >= 6);
  return (message) => {
    // Control characters may split a key, so they are removed first. Truncation may cut a key, so it comes last.
    const plain = message.replaceAll(CONTROL_CHARACTERS, ' ').replaceAll(URLS, '…');
    return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), plain).slice(0, MAX_LENGTH);
  };
}

function decodeUrlPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
