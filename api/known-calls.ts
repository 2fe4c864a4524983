import type { RequestHandler } from 'express';
import { MethodNotAllowedError, UnknownCallError } from './errors.ts';

/** One call as the server holds it: where it is and what answers it. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/api/${string}`;
  /** Reads the body; as JSON where absent. */
  readonly readBody?: RequestHandler;
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
 * Hands a request to the route of its exact path and method, with its body read. @throws {UnknownCallError}
 * {MethodNotAllowedError}, both before anything of the request's body is read.
 */
export function knownCalls(
  routes: readonly ApiRoute[],
  before: readonly RequestHandler[],
  readBody: RequestHandler,
): RequestHandler[] {
  const byPath = new Map<string, Map<string, ApiRoute>>();
  for (const route of routes) {
    const ofPath = byPath.get(route.path) ?? new Map<string, ApiRoute>();
    for (const method of methodsOf(route)) ofPath.set(method, route);
    byPath.set(route.path, ofPath);
  }
  const find = (path: string, method: string): ApiRoute => {
    const ofPath = byPath.get(path);
    if (!ofPath) throw new UnknownCallError();
    const route = ofPath.get(method);
    if (!route) throw new MethodNotAllowedError([...ofPath.keys()]);
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
    (request, response, next) => find(request.path, request.method).handle(request, response, next),
  ];
}
