import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import { WALLET_SESSION_COOKIE } from '../../data/contract/wallet-session.ts';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The token of the session's cookie; null where there is none, or more than one, since one of them was slipped in. */
export function sessionToken(request: IncomingMessage): string | null {
  const found: string[] = [];
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === WALLET_SESSION_COOKIE) found.push(pair.slice(at + 1).trim());
  }
  const [token, second] = found;
  return token !== undefined && second === undefined && TOKEN.test(token) ? token : null;
}

/** Sets and clears the cookie in which a browser keeps its session: no script reads it, no other site sends it along. */
export class SessionCookie {
  readonly #options: CookieOptions;

  constructor(publicOrigin: string | null) {
    const secure = publicOrigin !== null && new URL(publicOrigin).protocol === 'https:';
    this.#options = { httpOnly: true, sameSite: 'strict', path: '/', secure };
  }

  /** @param lifeMs milliseconds that the session lasts from now on */
  set(response: Response, token: string, lifeMs: number): void {
    response.cookie(WALLET_SESSION_COOKIE, token, { ...this.#options, maxAge: lifeMs });
  }

  clear(response: Response): void {
    response.clearCookie(WALLET_SESSION_COOKIE, this.#options);
  }
}
