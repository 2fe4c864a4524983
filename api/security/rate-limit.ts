import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import {
  mapRateLimits,
  RATE_LIMITS,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from '../../data/config/rate-limits.ts';
import type { CallCounts } from '../../data/store/call-count-port.ts';
import { ApiError } from '../errors.ts';

const WINDOW_MS = 60_000;

/**
 * The address under which a request is counted. An IPv6 /56 network counts as one address, because it usually belongs to
 * one customer. Clients that have already disconnected have no address and share one count.
 */
export function clientAddress(request: Request): string {
  return request.ip === undefined ? 'disconnected' : ipKeyGenerator(request.ip);
}

const V6_NETWORK_BITS = 48;

/**
 * The network that a request comes from, for limits that a client could evade by using several addresses: the /24 of an IPv4
 * address, or the /48 of an IPv6 address.
 */
export function clientNetwork(request: Request): string {
  const address = request.ip === undefined ? 'disconnected' : ipKeyGenerator(request.ip, V6_NETWORK_BITS);
  return address.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

export interface Limits {
  /**
   * Counts a request under a key, by default the client's address.
   * @throws {ApiError} `too-many-requests`
   */
  count(name: RateLimitName, request: Request, response: Response, key?: string): Promise<void>;
}

/** Counts calls in the store, so that all replicas share the counts. express-rate-limit calls nothing but `increment`. */
function sharedStore(name: RateLimitName, counts: CallCounts): Store {
  return {
    async increment(key) {
      const { calls, endsInMs } = await counts.add(`${name} ${key}`, WINDOW_MS);
      return { totalHits: calls, resetTime: new Date(Date.now() + endsInMs) };
    },
    decrement: () => {},
    resetKey: () => {},
  };
}

function counterOf(
  name: RateLimitName,
  limit: number,
  counts: CallCounts | null,
  onRefused: (name: RateLimitName) => void,
): RequestHandler {
  const { scope, isShared }: RateLimit = RATE_LIMITS[name];
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: name,
    // Turns off a check that captures a stack trace for each limit. The check only finds limits that are created
    // while a request is served, and the portal creates all limits at startup.
    validate: { creationStack: false },
    ...(isShared && counts !== null && { store: sharedStore(name, counts) }),
    keyGenerator: (_request, response) => String(response.locals.rateKey),
    handler: (_request, response, next) => {
      onRefused(name);
      const seconds = Number(response.getHeader('Retry-After')) || WINDOW_MS / 1_000;
      next(new ApiError('too-many-requests', { scope, seconds }));
    },
  });
}

/** @param counts the call counts that replicas share; null without PostgreSQL */
export function createLimits(
  rates: RateLimits,
  counts: CallCounts | null,
  onRefused: (name: RateLimitName) => void,
): Limits {
  const counters = mapRateLimits((name) => counterOf(name, rates[name], counts, onRefused));
  return {
    count: (name, request, response, key = clientAddress(request)) =>
      new Promise((resolve, reject) => {
        response.locals.rateKey = key;
        counters[name](request, response, (error?: unknown) =>
          error === undefined ? resolve() : reject(error),
        );
      }),
  };
}
