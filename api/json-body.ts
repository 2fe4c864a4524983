import express, { type RequestHandler } from 'express';
import { ApiError } from './errors.ts';

/**
 * Reads a body of up to `JSON_BODY_LIMIT` bytes into `request.body`, unparsed, because a signature covers the bytes as sent.
 */
export function rawBody(): RequestHandler {
  return withBodyErrors(express.raw({ limit: JSON_BODY_LIMIT, type: () => true }));
}

/** In bytes. */
const JSON_BODY_LIMIT = 64 * 1_024;

/** Translates an error of the body parser into an `ApiError`; other errors pass unchanged. */
function toApiError(error: unknown): unknown {
  // Every error of the parser has a status. An error without one is a bug of the portal.
  if (error instanceof ApiError || !(error instanceof Error) || !('status' in error)) return error;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return new ApiError('body-too-large', { limit: JSON_BODY_LIMIT / 1_024, cause: error });
    case 'entity.parse.failed':
      return new ApiError('malformed-json', { cause: error });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError('unsupported-body', { cause: error });
    default:
      return new ApiError('malformed-request', { cause: error });
  }
}

/**
 * Makes a body parser of Express fail with an `ApiError`. A body that is too large fails at once; the parser alone would read
 * it to its end first.
 */
function withBodyErrors(parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const tooLarge = () => new ApiError('body-too-large', { limit: JSON_BODY_LIMIT / 1_024 });
    if (Number(request.get('content-length') ?? 0) > JSON_BODY_LIMIT) return next(tooLarge());
    let [received, isOver] = [0, false];
    const finish = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      request.off('data', count);
      next(error === undefined ? undefined : toApiError(error));
    };
    const count = (chunk: Buffer) => {
      received += chunk.length;
      if (received > JSON_BODY_LIMIT) finish(tooLarge());
    };
    parse(request, response, finish);
    if (!isOver) request.on('data', count);
  };
}

/** Reads a JSON body of up to `JSON_BODY_LIMIT` bytes into `request.body`. */
export function jsonBody(): RequestHandler {
  return withBodyErrors(express.json({ limit: JSON_BODY_LIMIT, strict: true }));
}
