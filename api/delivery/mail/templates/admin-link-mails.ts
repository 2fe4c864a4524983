import type { AdminLink, TeamStore } from '../../../../data/store/admin-link-port.ts';
import type { LeasedDelivery } from '../../../../data/store/delivery-port.ts';
import { adminLinkUrl } from '../../admin-link-url.ts';
import type { MailPart, MailTemplate } from '../mail-template.ts';
import { momentText } from './shared-parts.ts';

export interface AdminLinkContext {
  readonly admins: Pick<TeamStore, 'links' | 'byId'>;
  readonly teamOrigin: string;
  readonly adminLinkToken: (linkId: string) => string;
}

export const isAboutAdminLink = ({ event }: Pick<LeasedDelivery, 'event'>): boolean =>
  event.startsWith('admin-link.');

const IGNORE_NOTE: MailPart = {
  kind: 'small',
  text: 'If you did not expect this email, ignore it and let a team owner know. Do not forward it: anyone with the link can use it.',
};

/**
 * @param owner the username of the owner who created the link
 * @param account for a password reset, the username of the account
 */
export function adminLinkTemplate(
  link: AdminLink,
  owner: string,
  account: string | null,
  url: string,
): MailTemplate {
  const validityText = `The link works once, until ${momentText(link.expiresAt)}.`;
  if (link.kind === 'invitation') {
    return {
      subject: 'Join the BlackDuck team',
      parts: [
        `${owner} has invited you to the team area of the BlackDuck portal, with the role ${link.role}. ${link.username === null ? 'Choose a username and a password.' : `Choose a password for the username ${link.username}.`}`,
        { kind: 'button', label: 'Accept the invitation', url },
        validityText,
        IGNORE_NOTE,
      ],
    };
  }
  return {
    subject: 'Set a new password for the BlackDuck team area',
    parts: [
      `${owner} sent you a link to set a new password for your account ${account}. Your current password works until you use the link. Then all your sessions end.`,
      ...(link.removeSecondFactors
        ? ['Your second factors, including passkeys, are removed at the same time.']
        : []),
      { kind: 'button', label: 'Set a new password', url },
      validityText,
      IGNORE_NOTE,
    ],
  };
}

/** The email with a one-time link; null if the link no longer exists, for example because it was used or withdrawn. */
export async function adminLinkMail(
  { referenceNumber }: Pick<LeasedDelivery, 'referenceNumber'>,
  { admins, teamOrigin, adminLinkToken }: AdminLinkContext,
): Promise<MailTemplate | null> {
  const link = (await admins.links()).find(({ id }) => id === referenceNumber);
  if (link === undefined) return null;
  const [owner, account] = await Promise.all([
    admins.byId(link.createdBy),
    link.kind === 'password-reset' ? admins.byId(link.adminId) : null,
  ]);
  const url = adminLinkUrl(teamOrigin, adminLinkToken(link.id));
  return adminLinkTemplate(link, owner?.username ?? 'An owner', account?.username ?? null, url);
}
