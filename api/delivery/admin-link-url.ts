import { LINK_PAGE } from '../../data/contract/admin-links.ts';

/** The token is in the fragment, which browsers do not send. */
export const adminLinkUrl = (teamOrigin: string, token: string) => `${teamOrigin}${LINK_PAGE}#token=${token}`;
