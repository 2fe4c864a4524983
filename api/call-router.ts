import type { RequestHandler } from 'express';
import type { RateLimitName } from '../data/config/rate-limits.ts';
import type { Call } from '../data/contract/call.ts';
import { ApiError } from './errors.ts';
import type { Limits } from './security/rate-limit.ts';

export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  /** Parses the body; JSON by default. */
  readonly bodyParser?: RequestHandler;
  /** A rate limit per client address, in addition to the limit `calls`. */
  readonly limit?: RateLimitName;
  readonly handle: RequestHandler;
}

export function callRoute(
  { method, path }: Pick<Call, 'method' | 'path'>,
  options: Pick<ApiRoute, 'limit' | 'bodyParser'>,
  handle: ApiRoute['handle'],
): ApiRoute {
  return { method, path, ...options, handle };
}

/**
 * Routes a request by its exact path and method: reads the body, counts the request towards its limit, then handles it.
 * @throws {ApiError} `unknown-call` and `method-not-allowed` before the body is read; `too-many-requests`
 */
export function callRouter(
  routes: readonly ApiRoute[],
  options: {
    readonly handlersBeforeBody: readonly RequestHandler[];
    readonly bodyParser: RequestHandler;
    readonly limits: Limits;
  },
): RequestHandler[] {
  const { handlersBeforeBody, bodyParser, limits } = options;
  const routesByPath = Map.groupBy(routes, ({ path }): string => path);
  const find = (path: string, method: string): ApiRoute => {
    const candidates = routesByPath.get(path);
    if (!candidates) throw new ApiError('unknown-call');
    const route = candidates.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
    if (route) return route;
    const allowed = candidates.map((one) => (one.method === 'GET' ? 'GET, HEAD' : one.method)).join(', ');
    throw new ApiError('method-not-allowed', { allowed });
  };
  return [
    (request, _response, next) => {
      find(request.path, request.method);
      next();
    },
    ...handlersBeforeBody,
    (request, response, next) =>
      (find(request.path, request.method).bodyParser ?? bodyParser)(request, response, next),
    async (request, response, next) => {
      const { limit, handle } = find(request.path, request.method);
      if (limit !== undefined) await limits.count(limit, request, response);
      await handle(request, response, next);
    },
  ];
}
