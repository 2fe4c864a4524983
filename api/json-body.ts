import express, { type RequestHandler } from 'express';
import { ApiError } from './errors.ts';

/** Reads a body of up to `JSON_BODY_LIMIT` bytes into `request.body`, unparsed: a signature covers the bytes as sent. */
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

/** A body parser that fails with an `ApiError`. */
function withBodyErrors(parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    parse(request, response, (error?: unknown) => next(error === undefined ? undefined : toApiError(error)));
  };
}

/** Reads a JSON body of up to `JSON_BODY_LIMIT` bytes into `request.body`. */
export function jsonBody(): RequestHandler {
  return withBodyErrors(express.json({ limit: JSON_BODY_LIMIT, strict: true }));
}
