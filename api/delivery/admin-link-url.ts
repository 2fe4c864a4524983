import { LINK_PAGE } from '../../data/contract/admin-links.ts';

/**
 * The URL of a one-time link. The token is in the fragment, which browsers do not send.
 * @param teamOrigin the URL of the team's pages without a trailing slash
 */
export const adminLinkUrl = (teamOrigin: string, token: string) => `${teamOrigin}${LINK_PAGE}#token=${token}`;
