import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that proxies add. */
const FORWARDING = /^(forwarded|via|x-forwarded-(for|host|proto)|x-real-ip)$/;

/** Host names of this machine. Requests through a proxy or with DNS rebinding have another host. */
export const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a program on this machine sent a request, without a proxy. */
export function isFromOwnMachine({ headers, socket }: IncomingMessage): boolean {
  const name = URL.parse(`http://${headers.host}`)?.hostname;
  if (name === undefined || !OWN_NAMES.includes(name)) return false;
  if (Object.keys(headers).some((header) => FORWARDING.test(header))) return false;
  const address = socket.remoteAddress?.replace(/^::ffff:/, '');
  if (address === undefined) return false;
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
