import type { IncomingMessage } from 'node:http';
import type { CookieOptions } from 'express';

/** The values of all cookies with this name: there can be several, for different paths or domains. */
export function cookieValues(request: IncomingMessage, name: string): readonly string[] {
  return (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const separatorIndex = pair.indexOf('=');
    return separatorIndex >= 0 && pair.slice(0, separatorIndex).trim() === name
      ? [pair.slice(separatorIndex + 1).trim()]
      : [];
  });
}

/** Null if there is no such cookie, or if there are several: one may be an attacker's. */
export function soleCookie(request: IncomingMessage, name: string): string | null {
  const [value, second] = cookieValues(request, name);
  return value !== undefined && second === undefined ? value : null;
}

/**
 * Scripts cannot read the cookie, and requests from other sites do not contain it. Pages on a static host count as the same
 * site (`data/config/api-origin.ts`), so their requests contain it.
 * @param apiOrigin the origin at which browsers reach this server; null if not configured
 */
export function cookieOptions(apiOrigin: string | null): CookieOptions {
  const secure = apiOrigin !== null && new URL(apiOrigin).protocol === 'https:';
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}
