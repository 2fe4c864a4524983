import express, { type RequestHandler } from 'express';
import { ApiError } from './errors.ts';

/** In bytes. */
const JSON_BODY_LIMIT = 64 * 1_024;

type TooLargeCode = 'body-too-large' | 'mail-too-large';

/**
 * Reads a body of up to `limit` bytes into `request.body`, unparsed, because a signature covers the bytes as sent.
 * @param code the error for a larger body
 */
export function rawBody(limit = JSON_BODY_LIMIT, code: TooLargeCode = 'body-too-large'): RequestHandler {
  return withBodyErrors(express.raw({ limit, type: () => true }), limit, code);
}

function toApiError(error: unknown, tooLargeError: () => ApiError): unknown {
  // Every error from the parser has a status. An error without one is a bug in the portal.
  if (error instanceof ApiError || !(error instanceof Error) || !('status' in error)) return error;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return tooLargeError();
    case 'entity.parse.failed':
      return new ApiError('malformed-json', { cause: error });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError('unsupported-body', { cause: error });
    default:
      return new ApiError('malformed-request', { cause: error });
  }
}

/** Immediately rejects a body that is too large. The parser alone would first read the whole body. */
function withBodyErrors(parse: RequestHandler, limit: number, code: TooLargeCode): RequestHandler {
  const tooLargeError = () => new ApiError(code, { limit: limit / 1_024 });
  return (request, response, next) => {
    if (Number(request.get('content-length') ?? 0) > limit) return next(tooLargeError());
    let [received, isFinished] = [0, false];
    const finish = (error?: unknown) => {
      if (isFinished) return;
      isFinished = true;
      request.off('data', count);
      next(error === undefined ? undefined : toApiError(error, tooLargeError));
    };
    const count = (chunk: Buffer) => {
      received += chunk.length;
      if (received > limit) finish(tooLargeError());
    };
    parse(request, response, finish);
    if (!isFinished) request.on('data', count);
  };
}

/** Leaves the body unread, for a handler that reads it itself. */
export const leaveBody: RequestHandler = (_request, _response, next) => next();

export function jsonBody(): RequestHandler {
  return withBodyErrors(
    express.json({ limit: JSON_BODY_LIMIT, strict: true }),
    JSON_BODY_LIMIT,
    'body-too-large',
  );
}
