import type { ChainName } from '../../../data/contract/provenance.ts';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const isOnLoopback = (url: string): boolean => LOOPBACK_HOSTS.has(new URL(url).hostname);

/**
 * Whether receivers may be on the portal's own machine: only with the embedded ledger, and with no public origin or one on
 * loopback. On a server, other programs listen on loopback and trust every request from it.
 */
export function mayReachLoopback(chain: ChainName, publicOrigin: string | null): boolean {
  return chain === 'embedded-ledger' && (publicOrigin === null || isOnLoopback(publicOrigin));
}

/** Whether an endpoint may have this URL. The addresses that its host resolves to are checked when an event is sent. */
export function mayBeEndpoint(url: string, allowsLoopback: boolean): boolean {
  const { protocol, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (allowsLoopback && protocol === 'http:' && isOnLoopback(url));
}
