import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request } from 'express';
import type { ErrorBody } from '../data/contract/call.ts';
import type { Logger } from '../data/runtime/log.ts';
import { ApiError, InternalError } from './errors.ts';
import { answerAndHangUp, hasMuchToCome } from './hang-up.ts';

/** The body that a client gets for an error. */
export function errorBodyOf(error: ApiError): ErrorBody {
  return { success: false, error: error.message, code: error.code };
}

/**
 * The error that a client is told of: an `ApiError` itself; anything else is logged under an id, and told as that id
 * only.
 */
export function toldError(
  thrown: unknown,
  { method, path }: Pick<Request, 'method' | 'path'>,
  log: Logger,
): ApiError {
  if (thrown instanceof ApiError && !(thrown instanceof InternalError)) return thrown;
  const error = thrown instanceof InternalError ? thrown : new InternalError(randomUUID(), { cause: thrown });
  // The path only: a query may carry what no log should hold.
  log.error({ err: thrown, answer: error.message, method, path }, 'request failed');
  return error;
}

/**
 * The one place where an error becomes an answer. An `ApiError` is answered with its status, headers and words; anything
 * else is logged under an id and answered 500 with that id only.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const error = toldError(thrown, request, log);
    if (response.headersSent) {
      next(thrown);
      return;
    }
    response.status(error.status).set({ ...error.headers, 'Cache-Control': 'no-store' });
    const body = errorBodyOf(error);
    if (hasMuchToCome(request)) answerAndHangUp(request, response, JSON.stringify(body));
    else response.json(body);
  };
}
