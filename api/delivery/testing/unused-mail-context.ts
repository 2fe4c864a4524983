import { createReplyComposer } from '../../conversation/reply-mail.ts';
import { ORGANIZATION } from './organization.ts';

/** Stands in for what a mail sender needs only for emails about conversations, mentions and cards, in tests of other emails. */
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
