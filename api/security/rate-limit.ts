import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { TooManyRequestsError } from '../errors.ts';
import { clientAddress } from './client-address.ts';

const WINDOW_MS = 60_000;

interface CountedFor {
  /** For whom a request counts. */
  readonly keyOf: (request: Request, response: Response) => string;
  /** What is answered beyond the limit. */
  readonly refusal: (retryAfterSeconds: number) => Error;
}

const FOR_ADDRESS: CountedFor = {
  keyOf: clientAddress,
  refusal: (seconds) => new TooManyRequestsError(seconds),
};

/**
 * Limits the calls of one address a minute, or of whoever else they count for, those of one kind by their own count.
 * Answers from the cached snapshot come before it and do not count.
 */
export function limitCalls(
  perMinute: number,
  kind = 'calls',
  { keyOf, refusal }: CountedFor = FOR_ADDRESS,
): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: kind,
    keyGenerator: keyOf,
    handler: (_request, response, next) => {
      const seconds = Number(response.getHeader('Retry-After')) || WINDOW_MS / 1_000;
      next(refusal(seconds));
    },
  });
}

/** Answers within a limit: what is beyond it gets the limit's own answer. */
export function limited(
  limit: RequestHandler,
  answer: (request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return (request, response, next) => {
    within(limit, request, response)
      .then(() => answer(request, response))
      .catch(next);
  };
}

/** Counts a request. Rejects with the limit's own error where it is beyond the limit. */
export function within(limit: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    limit(request, response, (fault?: unknown) => (fault === undefined ? resolve() : reject(fault)));
  });
}
