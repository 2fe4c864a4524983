import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { TooManyRequestsError } from '../errors.ts';
import { clientAddress } from './client-address.ts';

const WINDOW_MS = 60_000;

/**
 * Limits the calls of one address a minute, those of one kind by their own count. Answers from the cached snapshot come
 * before it and do not count.
 */
export function limitCalls(perMinute: number, kind = 'calls'): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: kind,
    keyGenerator: clientAddress,
    handler: (_request, response, next) => {
      const seconds = Number(response.getHeader('Retry-After')) || WINDOW_MS / 1_000;
      next(new TooManyRequestsError(seconds));
    },
  });
}

/** Answers within a limit: what is beyond it gets the limit's own answer. */
export function limited(
  limit: RequestHandler,
  answer: (request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return (request, response, next) =>
    limit(request, response, (fault?: unknown) => {
      if (fault !== undefined) next(fault);
      else answer(request, response).catch(next);
    });
}
