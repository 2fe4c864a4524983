import type { RequestHandler } from 'express';
import { ApiError } from '../errors.ts';

/** Whether an `Origin` header names the portal. Without a public origin, only names of this machine count. */
function isSameOrigin(origin: string, publicOrigin: string | null, localPort: number | undefined): boolean {
  if (publicOrigin !== null) return origin === publicOrigin;
  // The Host header proves nothing: with DNS rebinding it would match.
  return ['localhost', '127.0.0.1', '[::1]'].some((host) => origin === `http://${host}:${localPort}`);
}

/**
 * Rejects writes from pages of other sites. A request without `Origin` and `Sec-Fetch-Site` does not come from a browser
 * page.
 */
export function refuseForeignOrigins(publicOrigin: string | null): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      next();
      return;
    }
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isOwn =
      origin === undefined
        ? site === undefined || site === 'same-origin' || site === 'none'
        : isSameOrigin(origin, publicOrigin, request.socket.localPort);
    next(isOwn ? undefined : new ApiError('cross-origin'));
  };
}
