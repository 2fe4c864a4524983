import { createReplyComposer } from '../../conversation/reply-mail.ts';
import { ORGANIZATION } from './organization.ts';

/**
 * The parts of a mail sender's context that only emails about conversations, mentions and cards use. For tests of other
 * emails.
 */
export const UNUSED_MAIL_CONTEXT = {
  conversations: { find: async () => null, messagesOf: async () => [], readFile: async () => null },
  cards: { card: async () => null, spend: async () => null },
  records: { mention: async () => null },
  masterKey: { bytes: Buffer.alloc(32), id: '0'.repeat(16) },
  replies: createReplyComposer({
    organization: ORGANIZATION,
    origin: () => 'https://portal.example.com',
    inboundAddress: null,
  }),
};
