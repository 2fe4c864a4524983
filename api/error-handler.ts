import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler } from 'express';
import type { ErrorBody } from '../data/contract/call.ts';
import type { Logger } from '../data/runtime/log.ts';
import { ApiError, InternalError } from './errors.ts';

/** The body that a client gets for an error. */
export function errorBodyOf(error: ApiError): ErrorBody {
  return { success: false, error: error.message, code: error.code };
}

/**
 * The one place where an error becomes an answer. An `ApiError` is answered with its status, headers and words; anything
 * else is logged under an id and answered 500 with that id only.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const error = thrown instanceof ApiError ? thrown : new InternalError(randomUUID(), { cause: thrown });
    if (error instanceof InternalError) {
      // The path only: a query may carry what no log should hold.
      log.error(
        { err: thrown, answer: error.message, method: request.method, path: request.path },
        'request failed',
      );
    }
    if (response.headersSent) {
      next(thrown);
      return;
    }
    response
      .status(error.status)
      .set({ ...error.headers, 'Cache-Control': 'no-store' })
      .json(errorBodyOf(error));
  };
}
