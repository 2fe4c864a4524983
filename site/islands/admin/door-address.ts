export const LOGIN = '/admin/login';
const DASHBOARD = '/admin/dashboard';

/** Pages that an admin may be led back to after the login. */
const PAGES_BEHIND = /^\/(?:admin\/(?:dashboard|account|journal|erasure)|(?:new-)?bot-diagnostics)$/;

/** The login's address from a page: for one behind the login, with the way back to it. */
export function loginAddress({ pathname, search, hash }: Pick<Location, 'hash' | 'pathname' | 'search'>) {
  const from = pathname + search + hash;
  // The login leads to the dashboard as it begins in any case.
  if (!PAGES_BEHIND.test(pathname) || from === DASHBOARD) return LOGIN;
  // In the fragment, which is sent to no server: an address may hold what somebody searched for.
  return `${LOGIN}#from=${encodeURIComponent(from)}`;
}

/**
 * Where the login leads: to the page that the visitor came from where that is one behind the login of this very site,
 * else to the dashboard.
 */
export function addressBehind({ hash, origin }: Pick<Location, 'hash' | 'origin'>): string {
  const from = new URLSearchParams(hash.slice(1)).get('from');
  if (from === null || !URL.canParse(from, origin)) return DASHBOARD;
  const address = new URL(from, origin);
  if (address.origin !== origin || !PAGES_BEHIND.test(address.pathname)) return DASHBOARD;
  return address.pathname + address.search + address.hash;
}
