/**
 * Every fault that the API answers with words. One class per cause: the handler turns it into the body
 * `{ success: false, error, code }`, and nothing else of it reaches a client.
 */
export abstract class ApiError extends Error {
  /** HTTP status of the answer. */
  abstract readonly status: number;
  /** The cause, for a program. */
  abstract readonly code: string;
  /** Response headers that belong to the cause, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, headers: Readonly<Record<string, string>> = {}, options?: ErrorOptions) {
    super(message, options);
    this.headers = headers;
  }
}

/** Seconds after which asking again for a figure is worth it. */
const INDEX_RETRY_SECONDS = 2;
/** Seconds after which asking again for what is read from the chain itself is worth it. */
const CHAIN_RETRY_SECONDS = 10;

/** The figure has not been read from its source yet. */
export class NotIndexedYetError extends ApiError {
  override readonly name = 'NotIndexedYetError';
  readonly status = 503;
  readonly code = 'not-indexed-yet';
  constructor() {
    super('This figure has not been read from its source yet. Ask again in a few seconds.', {
      'Retry-After': String(INDEX_RETRY_SECONDS),
    });
  }
}

/** The newest movements are not known while the history is read for the first time, which begins with the oldest. */
export class HistoryNotReadError extends ApiError {
  override readonly name = 'HistoryNotReadError';
  readonly status = 503;
  readonly code = 'history-not-read-yet';
  constructor() {
    super('The history is still being read from the chain. Ask again in a few seconds.', {
      'Retry-After': String(INDEX_RETRY_SECONDS),
    });
  }
}

/** The path is no call of this API. */
export class UnknownCallError extends ApiError {
  override readonly name = 'UnknownCallError';
  readonly status = 404;
  readonly code = 'unknown-call';
  constructor() {
    super('There is no such call. GET /api/openapi.json lists every call.');
  }
}

/** The path is known, the method is not served there. */
export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError';
  readonly status = 405;
  readonly code = 'method-not-allowed';
  constructor(allowed: readonly string[]) {
    super(`This path is served for ${allowed.join(' and ')} only.`, { Allow: allowed.join(', ') });
  }
}

/** The request's address is not written as a URL is. */
export class MalformedPathError extends ApiError {
  override readonly name = 'MalformedPathError';
  readonly status = 400;
  readonly code = 'malformed-path';
  constructor(options?: ErrorOptions) {
    super(
      'The path holds a percent sign that no two hexadecimal digits follow. Encode it as %25.',
      {},
      options,
    );
  }
}

/** A parameter of the query is missing, unknown or no value that the call takes. */
export class InvalidQueryError extends ApiError {
  override readonly name = 'InvalidQueryError';
  readonly status = 400;
  readonly code = 'invalid-query';
}

/** A field of the body is missing, unknown or no value that the call takes. */
export class InvalidBodyError extends ApiError {
  override readonly name = 'InvalidBodyError';
  readonly status = 400;
  readonly code = 'invalid-body';
}

/** The index cannot be read at the moment. */
export class IndexUnreadableError extends ApiError {
  override readonly name = 'IndexUnreadableError';
  readonly status = 503;
  readonly code = 'index-unreadable';
  constructor(options?: ErrorOptions) {
    super(
      'The indexed figures cannot be read at the moment. Ask again in a few seconds.',
      { 'Retry-After': String(INDEX_RETRY_SECONDS) },
      options,
    );
  }
}

/** No endpoint told what a wallet stakes or holds, in time. */
export class ChainUnreadableError extends ApiError {
  override readonly name = 'ChainUnreadableError';
  readonly status = 503;
  readonly code = 'chain-unreadable';
  constructor(options?: ErrorOptions) {
    super(
      'The chain cannot be read at the moment, so nothing can be said of this wallet. Try again in a few seconds.',
      { 'Retry-After': String(CHAIN_RETRY_SECONDS) },
      options,
    );
  }
}

/** The request is not what HTTP or its own headers say it is. */
export class MalformedRequestError extends ApiError {
  override readonly name = 'MalformedRequestError';
  readonly status = 400;
  readonly code = 'malformed-request';
  constructor(options?: ErrorOptions) {
    super('The request is malformed or was cut off. Send it again, whole.', {}, options);
  }
}

/** The request line names no path of this server. */
export class MalformedTargetError extends ApiError {
  override readonly name = 'MalformedTargetError';
  readonly status = 400;
  readonly code = 'malformed-target';
  constructor() {
    super('The request names no path. Write it as GET /path.');
  }
}

/** The request names no host, which HTTP/1.1 asks for (RFC 9112 section 3.2). */
export class MissingHostError extends ApiError {
  override readonly name = 'MissingHostError';
  readonly status = 400;
  readonly code = 'missing-host';
  constructor() {
    super('The request has no Host header. Send one.');
  }
}

/** The headers of the request are longer than are read. */
export class HeadersTooLargeError extends ApiError {
  override readonly name = 'HeadersTooLargeError';
  readonly status = 431;
  readonly code = 'headers-too-large';
  constructor() {
    super('The address and headers of the request are too long. Send less, such as fewer cookies.');
  }
}

/** The request did not arrive within its time. */
export class RequestTimeoutError extends ApiError {
  override readonly name = 'RequestTimeoutError';
  readonly status = 408;
  readonly code = 'request-timeout';
  constructor() {
    super('The request did not arrive in time. Send it again.');
  }
}

/** The body says it is JSON and is not. */
export class MalformedJsonError extends ApiError {
  override readonly name = 'MalformedJsonError';
  readonly status = 400;
  readonly code = 'malformed-json';
  constructor(options?: ErrorOptions) {
    super('The body is not valid JSON. Send one JSON object or array, in UTF-8.', {}, options);
  }
}

/** The body is longer than the call takes. */
export class BodyTooLargeError extends ApiError {
  override readonly name = 'BodyTooLargeError';
  readonly status = 413;
  readonly code = 'body-too-large';
  constructor(limitBytes: number, options?: ErrorOptions) {
    super(`The body is larger than ${Math.floor(limitBytes / 1_024)} kB. Send less.`, {}, options);
  }
}

/** The body is compressed or encoded in a way that is not read here. */
export class UnsupportedBodyError extends ApiError {
  override readonly name = 'UnsupportedBodyError';
  readonly status = 415;
  readonly code = 'unsupported-body';
  constructor(options?: ErrorOptions) {
    super(
      'The body is in an encoding that is not read here. Send it as application/json in UTF-8.',
      {},
      options,
    );
  }
}

/** A page of another origin sent a request that changes something. */
export class CrossOriginError extends ApiError {
  override readonly name = 'CrossOriginError';
  readonly status = 403;
  readonly code = 'cross-origin';
  constructor() {
    super(
      'This request came from a page of another site and was refused. Where this is your own address, set PUBLIC_ORIGIN to it.',
    );
  }
}

/** The address asked more often than the limit allows. */
export class TooManyRequestsError extends ApiError {
  override readonly name = 'TooManyRequestsError';
  readonly status = 429;
  readonly code = 'too-many-requests';
  constructor(retryAfterSeconds: number) {
    super(`Too many requests from this address. Ask again in ${retryAfterSeconds} seconds.`, {
      'Retry-After': String(retryAfterSeconds),
    });
  }
}

/** Seconds after which opening a stream again is worth it. */
const STREAM_RETRY_SECONDS = 30;

/** The address holds as many event streams as it may. */
export class TooManyStreamsError extends ApiError {
  override readonly name = 'TooManyStreamsError';
  readonly status = 429;
  readonly code = 'too-many-streams';
  constructor() {
    super('Too many live streams are open from this address. Close one, or read the figures by polling.', {
      'Retry-After': String(STREAM_RETRY_SECONDS),
    });
  }
}

/** The portal holds as many event streams as it can. */
export class StreamsFullError extends ApiError {
  override readonly name = 'StreamsFullError';
  readonly status = 503;
  readonly code = 'streams-full';
  constructor() {
    super('No live stream is free at the moment. Read the figures by polling, and try again later.', {
      'Retry-After': String(STREAM_RETRY_SECONDS),
    });
  }
}

/** A fault of the program. The client learns an id, the log learns the cause under it. */
export class InternalError extends ApiError {
  override readonly name = 'InternalError';
  readonly status = 500;
  readonly code = 'internal';
  constructor(errorId: string, options?: ErrorOptions) {
    super(
      `Something went wrong on our side. Try again; if it stays, tell us this number: ${errorId}.`,
      {},
      options,
    );
  }
}
