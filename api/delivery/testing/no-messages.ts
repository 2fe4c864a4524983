import { createReplyMails } from '../../conversation/reply-mail.ts';
import { ORGANIZATION } from './organization.ts';

/** For senders of mails that are not about messages. */
export const NO_MESSAGES = {
  conversations: { find: async () => null, of: async () => [] },
  replies: createReplyMails({
    organization: ORGANIZATION,
    origin: () => 'https://portal.example.com',
    inboundAddress: null,
  }),
};
