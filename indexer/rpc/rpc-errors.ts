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
  /** An answer that is not JSON-RPC, or whose ids do not match the request. */
  | 'not-json-rpc'
  /** A JSON-RPC error code that says the node is not able to answer at present. */
  | 'node'
  /** A result without the members that its method promises. */
  | 'unreadable';

export class RetryableRpcError extends Error {
  override readonly name = 'RetryableRpcError';
  readonly fault: RpcFault;
  /** The JSON-RPC code, where the node gave one. */
  readonly code: number | null;
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    fault: RpcFault,
    message: string,
    options: ErrorOptions & { readonly code?: number; readonly retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.code = options.code ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Whether a reply's error speaks of the node as a whole, not of the call alone. */
export function isOfWholeNode({ fault, code }: RetryableRpcError): boolean {
  return fault === 'rate-limit' || code === NODE_UNHEALTHY;
}

export class RpcRequestError extends Error {
  override readonly name = 'RpcRequestError';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method} was refused (${code}): ${message}`);
    this.code = code;
  }
}

/**
 * The `before` or `until` signature is unknown to the node. Source: Agave,
 * `rpc-client-api/src/custom_error.rs`.
 */
export const FILTER_TRANSACTION_NOT_FOUND = -32020;
export const METHOD_NOT_FOUND = -32601;
/** The node is behind the cluster. Source: as above. */
const NODE_UNHEALTHY = -32005;

/**
 * Codes after which the same request may succeed later or elsewhere. Sources: Agave,
 * `rpc-client-api/src/custom_error.rs` (-32004 block not available, -32005 node unhealthy, -32007 and -32009
 * slot skipped or not in storage, -32011 no transaction history on this node, -32014 block status not yet
 * available, -32016 minimum context slot not reached, -32019 long-term storage unreachable), JSON-RPC 2.0
 * (-32603 internal error), and the two that providers use for rate limits.
 */
const RETRYABLE_CODES: ReadonlySet<number> = new Set([
  -32004, -32005, -32007, -32009, -32011, -32014, -32016, -32019, -32603, -32429, 429,
]);
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([-32429, 429]);

/** The error that a JSON-RPC error object stands for. */
export function rpcErrorOf(
  method: string,
  code: number,
  message: string,
): RetryableRpcError | RpcRequestError {
  if (!RETRYABLE_CODES.has(code)) return new RpcRequestError(method, code, message);
  const fault = RATE_LIMIT_CODES.has(code) ? 'rate-limit' : 'node';
  return new RetryableRpcError(fault, `${method} failed (${code}): ${message}`, { code });
}
