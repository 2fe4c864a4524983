import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { cookieOptions, soleCookie } from '../security/cookies.ts';
import type { SecretBox } from './secret-box.ts';

/** How long, in ms, the portal recognizes a browser or an address after an admin has signed in from it. */
export const RECOGNITION_PERIOD_MS = 180 * 24 * 60 * 60_000;

export type DeviceMarks = ReturnType<typeof createDeviceMarks>;

/**
 * A cookie that marks a browser after an admin has signed in with it. It authorizes nothing: it only gives the browser its own
 * count of failed sign-ins, as in https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies. It is
 * sealed for one account and password, so that a new password revokes it.
 */
export function createDeviceMarks(options: {
  readonly box: SecretBox;
  /** The server's public origin; null if not configured. */
  readonly apiOrigin: string | null;
  readonly now: () => number;
}) {
  const { box, now } = options;
  const sharedCookieOptions = cookieOptions(options.apiOrigin);
  // The prefix `__Host-` keeps other hosts of the domain from setting this cookie. Browsers accept it only over https.
  const cookieName = sharedCookieOptions.secure ? '__Host-adminDevice' : 'adminDevice';
  const contextOf = ({ id, passwordHash }: AdminCredentials) => `device:${id}:${passwordHash}`;

  /** The id in the browser's mark; null if the browser has no valid mark for this account. */
  const read = (request: Request, account: AdminCredentials): string | null => {
    const sealed = soleCookie(request, cookieName);
    if (sealed === null) return null;
    try {
      const opened = box.open(Buffer.from(sealed, 'base64url'), contextOf(account));
      const [device = '', expiresAt] = Buffer.from(opened).toString().split(' ');
      return Number(expiresAt) > now() ? device : null;
    } catch {
      // The cookie is forged, belongs to another account, or was set before the password changed.
      return null;
    }
  };

  return {
    read,
    renew(request: Request, response: Response, account: AdminCredentials): void {
      const device = read(request, account) ?? randomUUID();
      const sealed = box.seal(Buffer.from(`${device} ${now() + RECOGNITION_PERIOD_MS}`), contextOf(account));
      response.cookie(cookieName, Buffer.from(sealed).toString('base64url'), {
        ...sharedCookieOptions,
        maxAge: RECOGNITION_PERIOD_MS,
      });
    },
  };
}
