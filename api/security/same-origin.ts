import type { RequestHandler } from 'express';
import { apiOriginOf, crossOriginSiteOf, type PublicOrigins } from '../../data/config/api-origin.ts';
import { OWN_HOST_NAMES } from '../../data/config/network-variables.ts';
import { ApiError } from '../errors.ts';
import { isAnyOriginPath, isVisitorPath } from './site-access.ts';

/** Whether an `Origin` header names the portal. If no public origin is configured, only this machine's names are accepted. */
function isSameOrigin(origin: string, ownOrigin: string | null, localPort: number | undefined): boolean {
  if (ownOrigin !== null) return origin === ownOrigin;
  // Not compared with the Host header, because DNS rebinding makes the two match.
  return OWN_HOST_NAMES.some((host) => origin === `http://${host}:${localPort}`);
}

/**
 * Rejects writes from pages of other sites, except calls that pages of any origin may make. If the site and the API have
 * different origins, the site's pages may make visitor calls. A request that has neither `Origin` nor
 * `Sec-Fetch-Site` is accepted, because it is not from a browser page.
 */
export function refuseForeignOrigins(origins: PublicOrigins): RequestHandler {
  const ownOrigin = apiOriginOf(origins);
  const siteOrigin = crossOriginSiteOf(origins);
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD' || isAnyOriginPath(request.path)) return next();
    const { origin } = request.headers;
    const fetchSite = request.headers['sec-fetch-site'];
    const isAllowed =
      origin === undefined
        ? fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none'
        : isSameOrigin(origin, ownOrigin, request.socket.localPort) ||
          (origin === siteOrigin && isVisitorPath(request.path));
    next(isAllowed ? undefined : new ApiError('cross-origin'));
  };
}
