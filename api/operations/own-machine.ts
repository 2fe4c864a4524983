import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers by which a proxy says that it asks for someone else. */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** Names of this machine for itself. A proxy passes on the name that its visitors use, and so does a rebound DNS name. */
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a request comes from a program on this machine that asks for itself: no proxy passes it on for another. */
export function isFromOwnMachine({ headers, socket }: IncomingMessage): boolean {
  const name = URL.parse(`http://${headers.host}`)?.hostname;
  if (name === undefined || !OWN_NAMES.includes(name)) return false;
  if (FORWARDING.some((name) => headers[name] !== undefined)) return false;
  const address = socket.remoteAddress?.replace(/^::ffff:/, '');
  if (address === undefined) return false;
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
