import { type ConfigProblem, type GivenVariables, origin, problemsIfMissing } from './variable-types.ts';

const API_ORIGIN_VARIABLE = 'PUBLIC_API_ORIGIN';

export const API_ORIGIN_VARIABLES = { [API_ORIGIN_VARIABLE]: origin('https://api.example.com').optional() };

export interface PublicOrigins {
  /** Where visitors reach the site; null if not configured. */
  readonly publicOrigin: string | null;
  /** Where browsers reach the API if a static host serves the site at another origin; otherwise null. */
  readonly publicApiOrigin: string | null;
}

export function apiOriginOf({ publicOrigin, publicApiOrigin }: PublicOrigins): string | null {
  return publicApiOrigin ?? publicOrigin;
}

/** The site's origin, if its pages call this API from another origin; null if site and API share an origin. */
export function crossOriginSiteOf({ publicOrigin, publicApiOrigin }: PublicOrigins): string | null {
  return publicApiOrigin === null ? null : publicOrigin;
}

export function apiOriginConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const { PUBLIC_ORIGIN: site, [API_ORIGIN_VARIABLE]: api } = variables;
  if (api === undefined) return [];
  if (api === site) {
    const message =
      'is the same as PUBLIC_ORIGIN. Remove it or, if a static host serves the site, set PUBLIC_ORIGIN to that host’s origin.';
    return [{ variable: API_ORIGIN_VARIABLE, message }];
  }
  const message = `is required when ${API_ORIGIN_VARIABLE} is set. Set PUBLIC_ORIGIN to the origin of the static host.`;
  return problemsIfMissing(variables, ['PUBLIC_ORIGIN'], message);
}

/**
 * Whether browsers send `SameSite=Strict` cookies from pages of one origin to another. They do if both have the same scheme and
 * the same host or registrable domain. Domains on the Public Suffix List, such as `pages.dev`, are not registrable: anyone can
 * register a name under them.
 */
async function isSameSite(one: string, other: string): Promise<boolean> {
  const [first, second] = [new URL(one), new URL(other)];
  if (first.protocol !== second.protocol) return false;
  if (first.hostname === second.hostname) return true;
  // Imported on demand, because few deployments need the Public Suffix List.
  const { getDomain } = await import('tldts');
  const [domain, otherDomain] = [first, second].map(({ hostname }) =>
    getDomain(hostname, { allowPrivateDomains: true }),
  );
  return domain !== null && domain === otherDomain;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether the static host has the API's host name, and so would receive the API's session cookies. Cookies ignore ports.
 * Loopback hosts are allowed.
 */
function sharesCookies(site: string, api: string): boolean {
  const { hostname } = new URL(site);
  return hostname === new URL(api).hostname && !LOOPBACK.test(hostname);
}

/**
 * Returns the problem with the origins of the site and the API, or null. Browsers must send a wallet's session cookie to the API,
 * and to no other host.
 */
export async function apiOriginProblem(origins: PublicOrigins): Promise<ConfigProblem | null> {
  const { publicOrigin, publicApiOrigin } = origins;
  if (publicOrigin === null || publicApiOrigin === null) return null;
  const example = 'https://portal.example.com and https://api.example.com';
  const advice = `Use the same scheme for both, and two hosts under one domain that you own, such as ${example}.`;
  if (sharesCookies(publicOrigin, publicApiOrigin)) {
    const reason =
      'has the same host as PUBLIC_ORIGIN, so the static host would receive the session cookies, too.';
    return { variable: API_ORIGIN_VARIABLE, message: `${reason} ${advice}` };
  }
  if (await isSameSite(publicOrigin, publicApiOrigin)) return null;
  const reason =
    'is not on the same site as PUBLIC_ORIGIN, so browsers would not send the cookie of a wallet’s session.';
  return { variable: API_ORIGIN_VARIABLE, message: `${reason} ${advice}` };
}
