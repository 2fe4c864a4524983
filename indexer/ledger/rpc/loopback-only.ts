/**
 * Who may talk to the ledger: programs of this machine. A page of any site can open a websocket to a loopback port, and, with
 * a name of its own that it lets point to 127.0.0.1 (DNS rebinding), post JSON to it as well. The browser names both: the page
 * in `Origin`, the name in `Host`.
 */
import type { IncomingMessage } from 'node:http';

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Why a request or an upgrade is refused, in words for the caller; null where it comes from this machine. */
export function foreignFault(request: IncomingMessage): string | null {
  const { host, origin } = request.headers;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    return 'The ledger answers at localhost, 127.0.0.1 and [::1] only, and not under the name in the Host header.';
  }
  if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
    return 'The ledger answers programs and pages of this machine only, and not the page in the Origin header.';
  }
  return null;
}
