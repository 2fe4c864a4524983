import express, { type RequestHandler } from 'express';
import {
  ApiError,
  BodyTooLargeError,
  MalformedJsonError,
  MalformedRequestError,
  UnsupportedBodyError,
} from './errors.ts';

/** Bytes of a JSON body that a call takes. */
export const JSON_BODY_LIMIT = 64 * 1_024;

/** The cause that the body parser names in its error's `type`, as our own error; other errors unchanged. */
function namedCause(error: unknown): unknown {
  // Every refusal of the parser carries a status; an error without one is a fault of ours.
  if (error instanceof ApiError || !(error instanceof Error) || !('status' in error)) return error;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return new BodyTooLargeError(JSON_BODY_LIMIT, { cause: error });
    case 'entity.parse.failed':
      return new MalformedJsonError({ cause: error });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedBodyError({ cause: error });
    default:
      return new MalformedRequestError({ cause: error });
  }
}

/** A body parser whose faults are told as our own. */
export function withNamedCauses(parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    parse(request, response, (error?: unknown) => next(error === undefined ? undefined : namedCause(error)));
  };
}

/** Reads a JSON body of up to `JSON_BODY_LIMIT` bytes into `request.body`. */
export function jsonBody(): RequestHandler {
  return withNamedCauses(express.json({ limit: JSON_BODY_LIMIT, strict: true }));
}
