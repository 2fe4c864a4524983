/**
 * What can go wrong between a request and its reply, in two classes: `RetryableRpcError` (the endpoint, the
 * network or the moment is at fault; another try or another endpoint may answer) and `RpcRequestError` (the
 * request itself was refused; the caller has to ask differently).
 */

/** Why a try failed: what an operator has to look at. */
export type RpcFault =
  /** No connection, or it broke. */
  | 'unreachable'
  | 'timeout'
  | 'rate-limit'
  /** HTTP 401 or 403: the key is missing or wrong. */
  | 'refused'
  /** An HTTP status that says the server failed. */
  | 'server'
  /** An answer that is not JSON-RPC. */
  | 'not-json-rpc'
  /** An answer that begins as JSON and is none: cut off or damaged on its way. */
  | 'cut-off'
  /** JSON-RPC whose ids or members do not match the request. */
  | 'mismatch'
  /** A JSON-RPC error code that says the node is not able to answer at present. */
  | 'node'
  /** A result without the members that its method promises. */
  | 'unreadable'
  /** An answer that cannot be true: older than was asked for or told before, of another chain, or against what is known. */
  | 'contradiction'
  /** More calls than it takes in one request, or so it seems: fewer are sent. */
  | 'too-large'
  /** Not asked: it rests after failures. */
  | 'resting'
  /** Not asked: every endpoint is put aside. */
  | 'put-aside';

export interface RpcErrorDetails {
  /** The JSON-RPC code, where the node gave one. */
  readonly code: number | null;
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** How many slots the node says it is behind the cluster (-32005). */
  readonly slotsBehind: number | null;
  /** The slot that the node has reached, where a later one was asked for (-32016). */
  readonly contextSlot: number | null;
  /** Whether the request was refused as a whole, which says nothing of the calls in it. */
  readonly isOfEnvelope: boolean;
}

export class RetryableRpcError extends Error implements RpcErrorDetails {
  override readonly name = 'RetryableRpcError';
  readonly fault: RpcFault;
  readonly code: number | null;
  readonly retryAfterMs: number | null;
  readonly slotsBehind: number | null;
  readonly contextSlot: number | null;
  readonly isOfEnvelope: boolean;

  constructor(fault: RpcFault, message: string, options: ErrorOptions & Partial<RpcErrorDetails> = {}) {
    super(message, options);
    this.fault = fault;
    this.code = options.code ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.slotsBehind = options.slotsBehind ?? null;
    this.contextSlot = options.contextSlot ?? null;
    this.isOfEnvelope = options.isOfEnvelope ?? false;
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

/*
 * Codes of the node. Sources: Agave, `rpc-client-api/src/custom_error.rs`; JSON-RPC 2.0, section 5.1.
 */
/** The block is not there yet; later it may be. */
const BLOCK_NOT_AVAILABLE = -32004;
/** The node is behind the cluster, or ill: nothing that it says counts. Its data may tell `numSlotsBehind`. */
const NODE_UNHEALTHY = -32005;
/** The slot was skipped, or the node lacks it since it started from a newer snapshot. */
const SLOT_SKIPPED = -32007;
/** The slot was skipped, or is missing in the long-term storage that the node asks. */
const LONG_TERM_STORAGE_SLOT_SKIPPED = -32009;
/** The node keeps no transaction history. */
const TRANSACTION_HISTORY_NOT_AVAILABLE = -32011;
/** The node has the block and works out how far it is confirmed. */
const BLOCK_STATUS_NOT_AVAILABLE_YET = -32014;
/** The transaction has a newer version than the request says the client understands. */
const UNSUPPORTED_TRANSACTION_VERSION = -32015;
/** The node has not reached the slot asked for. Its data tells `contextSlot`. */
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
/** The long-term storage that the node asks for old transactions does not answer. */
const LONG_TERM_STORAGE_UNREACHABLE = -32019;
/** The `before` or `until` signature is unknown to the node: ask from an older cursor. Since Agave 4. */
export const FILTER_TRANSACTION_NOT_FOUND = -32020;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** What providers answer for HTTP 429 where the limit is told in a reply. */
const RATE_LIMIT_CODES: readonly number[] = [-32429, 429];

/** Codes after which the same request may succeed later or elsewhere. */
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

/** What to do about a refusal, for those that do not say it themselves. */
const MENDS: Readonly<Record<number, string>> = {
  [UNSUPPORTED_TRANSACTION_VERSION]:
    'The transaction has a version that the indexer does not read; it has to be taught to.',
};

/** The error that a JSON-RPC error object stands for. */
export function rpcErrorOf(
  method: string,
  code: number,
  message: string,
  data: Partial<Pick<RpcErrorDetails, 'slotsBehind' | 'contextSlot'>> = {},
): RetryableRpcError | RpcRequestError {
  if (!RETRYABLE_CODES.has(code)) {
    const mend = MENDS[code];
    return new RpcRequestError(method, code, mend ? `${message} ${mend}` : message);
  }
  const fault = RATE_LIMIT_CODES.includes(code) ? 'rate-limit' : 'node';
  return new RetryableRpcError(fault, `${method} failed (${code}): ${message}`, { code, ...data });
}

/** The fault of a call for history where no endpoint has any. */
export function noHistoryAnywhere(method: string): RetryableRpcError {
  const message = `${method} was not asked: no endpoint keeps transaction history. Configure one that does.`;
  return new RetryableRpcError('node', message, { code: TRANSACTION_HISTORY_NOT_AVAILABLE });
}

/** What an error in a reply says of the endpoint, and with it who is asked for the call next. */
export type FaultScope =
  /** The endpoint as a whole: it rests. */
  | 'endpoint'
  /** What it says cannot be true: it is put aside. */
  | 'trust'
  /** It has no transaction history: it is not asked for any. */
  | 'history'
  /** It does not have what this call asks for: another may; this one will not. */
  | 'not-here'
  /** It has not reached the slot of this call: another may have; it may soon. No failure. */
  | 'behind'
  /** It has nearly got what this call asks for. */
  | 'soon'
  /** This call at this moment: another may answer, or this one later. */
  | 'call';

const SCOPE_BY_CODE: ReadonlyMap<number, FaultScope> = new Map([
  [NODE_UNHEALTHY, 'endpoint'],
  [TRANSACTION_HISTORY_NOT_AVAILABLE, 'history'],
  [SLOT_SKIPPED, 'not-here'],
  [LONG_TERM_STORAGE_SLOT_SKIPPED, 'not-here'],
  [MIN_CONTEXT_SLOT_NOT_REACHED, 'behind'],
  [BLOCK_STATUS_NOT_AVAILABLE_YET, 'soon'],
]);

export function scopeOf({ fault, code }: RetryableRpcError): FaultScope {
  if (fault === 'contradiction') return 'trust';
  if (fault === 'rate-limit') return 'endpoint';
  return (code !== null && SCOPE_BY_CODE.get(code)) || 'call';
}
