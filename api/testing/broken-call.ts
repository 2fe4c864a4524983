import { vi } from 'vitest';
import { walletSession, walletSessionCookie } from '../../data/contract/wallet-session.ts';
import { type Answer, ask } from './portal-client.ts';
import type { TestPortal } from './test-portal.ts';

/** Makes one of the portal's calls fail with an unexpected error. @returns a function that sends the call */
export function breakCall(
  { port, store }: TestPortal,
  message: string,
): (query?: string, headers?: Readonly<Record<string, string>>) => Promise<Answer> {
  vi.spyOn(store.sessions, 'sessionByToken').mockRejectedValue(new Error(message));
  const cookieNames = [walletSessionCookie(null), walletSessionCookie('https:')];
  const Cookie = cookieNames.map((name) => `${name}=${'A'.repeat(43)}`).join('; ');
  return (query = '', headers = {}) =>
    ask(port, `${walletSession.path}${query}`, { headers: { ...headers, Cookie } });
}
