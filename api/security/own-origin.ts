import type { RequestHandler } from 'express';
import { CrossOriginError } from '../errors.ts';

/** Whether an `Origin` header names the portal itself. Without a public origin, only this machine's own names count. */
export function isOwnOrigin(
  origin: string,
  publicOrigin: string | null,
  localPort: number | undefined,
): boolean {
  if (publicOrigin !== null) return origin === publicOrigin;
  // The request's Host header is no witness: a rebound DNS name would carry a matching one.
  return ['localhost', '127.0.0.1', '[::1]'].some((host) => origin === `http://${host}:${localPort}`);
}

/**
 * Refuses requests that change something and come from a page of another site. A request without `Origin` and
 * `Sec-Fetch-Site` comes from no browser page.
 */
export function refuseForeignOrigins(publicOrigin: string | null): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      next();
      return;
    }
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const own =
      origin === undefined
        ? site === undefined || site === 'same-origin' || site === 'none'
        : isOwnOrigin(origin, publicOrigin, request.socket.localPort);
    next(own ? undefined : new CrossOriginError());
  };
}
