import type { RequestHandler } from 'express';
import type { RateLimitName } from '../data/config/rate-limits.ts';
import { ApiError } from './errors.ts';
import type { Limits } from './security/rate-limit.ts';

/** One call as the server serves it. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  /** Reads the body; as JSON by default. */
  readonly readBody?: RequestHandler;
  /** The limit per address that the call counts towards, besides `calls`. */
  readonly limit?: RateLimitName;
  readonly handle: RequestHandler;
}

/** Methods that a route answers: HEAD comes with GET. */
function methodsOf(route: ApiRoute): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
}

/**
 * Routes a request by its exact path and method: reads the body, counts the request towards its limit, then handles it.
 * @throws {ApiError} `unknown-call` and `method-not-allowed` before the body is read; `too-many-requests`
 */
export function knownCalls(
  routes: readonly ApiRoute[],
  options: {
    readonly before: readonly RequestHandler[];
    readonly readBody: RequestHandler;
    readonly limits: Limits;
  },
): RequestHandler[] {
  const { before, readBody, limits } = options;
  const byPath = new Map<string, Map<string, ApiRoute>>();
  for (const route of routes) {
    const ofPath = byPath.get(route.path) ?? new Map<string, ApiRoute>();
    for (const method of methodsOf(route)) ofPath.set(method, route);
    byPath.set(route.path, ofPath);
  }
  const find = (path: string, method: string): ApiRoute => {
    const ofPath = byPath.get(path);
    if (!ofPath) throw new ApiError('unknown-call');
    const route = ofPath.get(method);
    if (!route) throw new ApiError('method-not-allowed', { allowed: [...ofPath.keys()].join(', ') });
    return route;
  };
  return [
    (request, _response, next) => {
      find(request.path, request.method);
      next();
    },
    ...before,
    (request, response, next) =>
      (find(request.path, request.method).readBody ?? readBody)(request, response, next),
    async (request, response, next) => {
      const { limit, handle } = find(request.path, request.method);
      if (limit !== undefined) await limits.count(limit, request, response);
      await handle(request, response, next);
    },
  ];
}
