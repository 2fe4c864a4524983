import type { Organization } from '../../data/model/organization.ts';
import type { ComposedMail } from '../delivery/mail/mail-transport.ts';
import { type TeamMessage, teamMessageTemplate } from '../delivery/mail/templates/conversation-mails.ts';

export interface ReplyComposer {
  /** Whether the portal receives the applicants' answers. */
  readonly answersArrive: boolean;
  compose(reply: TeamMessage): Promise<ComposedMail>;
}

interface ReplyOptions {
  /** Null if the site is not built. */
  readonly organization: Organization | null;
  readonly origin: () => string;
  /**
   * The address at which the portal receives answers, with `{reference}` in place of the reference number. Null if it
   * receives none.
   */
  readonly inboundAddress: string | null;
}

export function createReplyComposer({ organization, origin, inboundAddress }: ReplyOptions): ReplyComposer {
  return {
    answersArrive: inboundAddress !== null,
    compose: async (reply) => {
      // Loaded with the first email, so that the portal starts without waiting for it.
      const { renderMail } = await import('../delivery/mail/layout/render-mail.ts');
      const mail = renderMail(teamMessageTemplate(reply), { organization, origin: origin() });
      const address = inboundAddress?.replace('{reference}', reply.referenceNumber);
      const replyTo = address === undefined ? mail.replyTo : { name: organization?.name ?? '', address };
      return { ...mail, replyTo, isPersonal: true };
    },
  };
}
