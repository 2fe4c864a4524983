import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { RequestHandler } from 'express';
import { isLocalOrigin, OWN_HOST_NAMES } from '../../data/config/network-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const FORWARDING = /^(forwarded|via|x-forwarded-(for|host|proto)|x-real-ip)$/;

const forwardingHeaders = ({ headers }: IncomingMessage) =>
  Object.keys(headers).filter((header) => FORWARDING.test(header));

/**
 * Whether a program on this machine sent a request, without a proxy. Always false if the portal has a public origin, because
 * a proxy on this machine can look like such a program. That happens if the proxy adds no forwarding header and sends the
 * portal's local address as the host.
 */
export function isLocalRequest(request: IncomingMessage, apiOrigin: string | null): boolean {
  if (!isLocalOrigin(apiOrigin)) return false;
  const { headers, httpVersion, socket } = request;
  // Only proxies, such as nginx before 1.29.7, send HTTP/1.0.
  if (httpVersion !== '1.1') return false;
  const name = URL.parse(`http://${headers.host}`)?.hostname;
  if (name === undefined || !OWN_HOST_NAMES.includes(name)) return false;
  if (forwardingHeaders(request).length > 0) return false;
  const address = socket.remoteAddress?.replace(/^::ffff:/, '');
  if (address === undefined) return false;
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/**
 * Returns middleware that logs once if a request was forwarded by a caller that is not a trusted proxy. The log line does not
 * contain the caller's address, which may be a visitor's.
 */
export function warnOfUnknownProxy(
  isTrusted: (address: string | undefined, hop: number) => boolean,
  log: Logger,
): RequestHandler {
  let isLogged = false;
  return (request, _response, next) => {
    const headers = isLogged ? [] : forwardingHeaders(request);
    if (headers.length > 0 && !isTrusted(request.socket.remoteAddress, 0)) {
      isLogged = true;
      const problem =
        'the forwarding headers of a request are ignored, because it did not come from a proxy in TRUSTED_PROXIES. If your proxy sent it, add the proxy’s address: until then all its visitors share one rate limit';
      log.warn({ headers }, problem);
    }
    next();
  };
}
