import type { RequestHandler } from 'express';
import { MethodNotAllowedError, UnknownCallError } from './errors.ts';

/** One call as the server holds it: where it is and what answers it. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  readonly handle: RequestHandler;
}

/** Whether a path belongs to the API rather than to the site. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

/** Methods that a route answers: HEAD comes with GET. */
function methodsOf(route: ApiRoute): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
}

/**
 * Hands a request to the route of its exact path and method. @throws {UnknownCallError} {MethodNotAllowedError}, both
 * before anything of the request's body is read.
 */
export function knownCalls(routes: readonly ApiRoute[], before: readonly RequestHandler[]): RequestHandler[] {
  const byPath = new Map<string, Map<string, RequestHandler>>();
  for (const route of routes) {
    const handlers = byPath.get(route.path) ?? new Map<string, RequestHandler>();
    for (const method of methodsOf(route)) handlers.set(method, route.handle);
    byPath.set(route.path, handlers);
  }
  const find = (path: string, method: string): RequestHandler => {
    const handlers = byPath.get(path);
    if (!handlers) throw new UnknownCallError();
    const handler = handlers.get(method);
    if (!handler) throw new MethodNotAllowedError([...handlers.keys()]);
    return handler;
  };
  return [
    (request, _response, next) => {
      find(request.path, request.method);
      next();
    },
    ...before,
    (request, response, next) => find(request.path, request.method)(request, response, next),
  ];
}
