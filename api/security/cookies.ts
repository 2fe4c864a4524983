import type { IncomingMessage } from 'node:http';
import type { CookieOptions } from 'express';

/** The value of a cookie; null unless there is exactly one of the name, because a second one may be injected. */
export function soleCookie(request: IncomingMessage, name: string): string | null {
  const found: string[] = [];
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name) found.push(pair.slice(at + 1).trim());
  }
  const [value, second] = found;
  return value !== undefined && second === undefined ? value : null;
}

/** Scripts cannot read the cookie, and other sites cannot send it. */
export function cookieOptions(publicOrigin: string | null): CookieOptions {
  const secure = publicOrigin !== null && new URL(publicOrigin).protocol === 'https:';
  return { httpOnly: true, sameSite: 'strict', path: '/', secure };
}
