import type { RequestHandler } from 'express';
import { OWN_NAMES } from '../../data/config/network-variables.ts';
import { ApiError } from '../errors.ts';

/** Whether an `Origin` header names the portal. Without a public origin, only this machine's names are accepted. */
function isSameOrigin(origin: string, publicOrigin: string | null, localPort: number | undefined): boolean {
  if (publicOrigin !== null) return origin === publicOrigin;
  // Not compared with the Host header, because DNS rebinding makes the two match.
  return OWN_NAMES.some((host) => origin === `http://${host}:${localPort}`);
}

/** Rejects writes from pages of other sites. A request without `Origin` and `Sec-Fetch-Site` is not from a browser page. */
export function refuseForeignOrigins(publicOrigin: string | null): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isOwn =
      origin === undefined
        ? site === undefined || site === 'same-origin' || site === 'none'
        : isSameOrigin(origin, publicOrigin, request.socket.localPort);
    next(isOwn ? undefined : new ApiError('cross-origin'));
  };
}
