/**
 * Errors of the JSON-RPC interface. Codes and texts are those of a Solana node (Agave, `rpc-client-api/src/custom_error.rs`),
 * so that clients which tell errors apart by code find what they expect. -32602 says what is wrong in our own words.
 */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const PREFLIGHT_FAILURE = -32002;
export const SIGNATURE_VERIFICATION_FAILURE = -32003;
export const BLOCK_NOT_AVAILABLE = -32004;
export const UNSUPPORTED_TRANSACTION_VERSION = -32015;
export const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
export const FILTER_TRANSACTION_NOT_FOUND = -32020;

/** A fault that the caller is told: it becomes the `error` member of the reply. Anything else thrown is -32603. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** -32602: a parameter has the wrong type, shape or range. */
export function invalidParams(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}

/** -32600: the envelope is not a JSON-RPC 2.0 request. */
export function invalidRequest(message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message);
}

/** -32016: the ledger has not reached the slot that the caller insists on. */
export function minContextSlotNotReached(contextSlot: number): RpcError {
  return new RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', {
    contextSlot,
  });
}

/** -32020: a `before` or `until` cursor names a signature that the ledger does not have. */
export function cursorNotFound(signature: string): RpcError {
  return new RpcError(FILTER_TRANSACTION_NOT_FOUND, `Transaction ${signature} not found`);
}

/** -32015: the caller did not say that it understands transactions of this version. */
export function unsupportedTransactionVersion(version: number): RpcError {
  return new RpcError(
    UNSUPPORTED_TRANSACTION_VERSION,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
      `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

/** -32004: the slot is in the future, or older than the ledger. */
export function blockNotAvailable(slot: number): RpcError {
  return new RpcError(BLOCK_NOT_AVAILABLE, `Block not available for slot ${slot}`);
}
