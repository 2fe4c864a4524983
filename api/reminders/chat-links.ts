import { randomBytes } from 'node:crypto';
import { chatMessageId, isFromChat } from '../../data/model/conversation.ts';
import { cleanLines } from '../../data/model/form-text.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import { referencesIn } from '../../data/model/reference-number.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { isFromApplicant, notifiesTeam } from '../conversation/team-notice.ts';
import type { IncomingMessage } from '../telegram/incoming-message.ts';
import type { ReminderTokens } from './reminder-tokens.ts';

const CHAT_LINK_LIFE_MS = PORTAL_LIMITS.chatLinkMinutes * 60_000;

export const newSubscriptionId = (): string => randomBytes(16).toString('base64url');

/** Links chats with the bot to wallets and records. A chat gets messages about what it is linked to. */
export interface ChatLinks {
  /**
   * Links the chat, using the token of a link to the bot.
   * @returns what the chat is now linked to; null if the token is invalid, used or expired, or its record was erased
   */
  start(token: string, chatId: string): Promise<'reminder' | 'record' | null>;
  /** Ends all links of the chat. @returns how many there were */
  stop(chatId: string): Promise<number>;
  count(chatId: string): Promise<{ readonly wallets: number; readonly records: number }>;
  /**
   * Adds a message to the record that the chat is linked to, and notifies the team. Does nothing if the message is already
   * stored. Returns null if the chat is not linked to any record.
   * @throws {StoreUnavailableError} when the message cannot be stored now
   */
  answer(message: IncomingMessage): Promise<ChatAnswerOutcome | null>;
}

/**
 * `which`: the chat is linked to several records, and the message names none of them. `merged`: the chat is linked only to
 * support messages that were merged with others, or the new message names one of those. `too-many`: the record has reached its
 * daily limit of messages from chats.
 */
export type ChatAnswerOutcome = 'stored' | 'which' | 'merged' | 'too-many';

const DAY_MS = 86_400_000;

export function createChatLinks(context: {
  readonly store: Pick<AppStore, 'conversations' | 'subscriptions' | 'records'>;
  readonly tokens: ReminderTokens;
  /** The slot of the latest stakes; null while it is unknown. */
  readonly slot: () => number | null;
  /** The maximum number of messages that chats can add to a record within a day. */
  readonly answersPerDay: number;
  readonly now: () => number;
}): ChatLinks {
  const { tokens, now, slot, answersPerDay } = context;
  const { conversations, subscriptions, records } = context.store;
  return {
    start: async (token, chatId) => {
      const link = tokens.readChat(token);
      const at = now();
      if (link?.kind === 'reminder') {
        const request = { id: link.id, target: chatId, requestedSince: at - CHAT_LINK_LIFE_MS };
        const subscription = await subscriptions.find(link.id);
        if (subscription?.channel !== 'telegram') return null;
        return (await subscriptions.confirm(request, { at, fromSlot: slot() })) === null ? null : 'reminder';
      }
      if (!link || link.issuedAt < at - CHAT_LINK_LIFE_MS) return null;
      // An erased record has no applicant to notify.
      if ((await records.record(link.referenceNumber)) === null) return null;
      const { referenceNumber, issuedAt } = link;
      const linkRequest = { id: newSubscriptionId(), referenceNumber, issuedAt };
      return (await subscriptions.linkRecord(linkRequest, chatId, at)) ? 'record' : null;
    },
    stop: (chatId) => subscriptions.endChat(chatId, now()),
    count: async (chatId) => {
      const chatSubscriptions = await subscriptions.ofChat(chatId);
      const wallets = chatSubscriptions.filter(({ about }) => about === 'stakes').length;
      return { wallets, records: chatSubscriptions.length - wallets };
    },
    answer: async ({ chatId, updateId, text, username, repliedText }) => {
      const linkedReferences = (await subscriptions.ofChat(chatId))
        .filter(({ about }) => about === 'record')
        .map(({ subject }) => subject);
      if (linkedReferences.length === 0) return null;
      // A message about a merged record is stored with the kept record, and notices name the kept record. A chat that is
      // linked to a support message cannot write to it after a merge, because the chat may have been linked without a proof
      // of the mailbox.
      const keptReferences = new Map<string, string>();
      const endedReferences: string[] = [];
      for (const linked of linkedReferences) {
        const record = await records.record(linked);
        const kept = record?.mergedInto ?? linked;
        const hasMerge = kept !== linked || (record?.merged.length ?? 0) > 0;
        if (hasMerge && record?.kind === 'contact-message') endedReferences.push(linked, kept);
        else keptReferences.set(kept, kept).set(linked, kept);
      }
      const linkedRecords = [...new Set(keptReferences.values())];
      if (linkedRecords.length === 0) return 'merged';
      const onlyReference = linkedRecords.length === 1 ? linkedRecords[0] : undefined;
      const namedReferences = referencesIn(`${repliedText ?? ''} ${text}`);
      const namedReference = namedReferences.find((one) => keptReferences.has(one));
      if (!namedReference && namedReferences.some((one) => endedReferences.includes(one))) return 'merged';
      const referenceNumber = namedReference ? keptReferences.get(namedReference) : onlyReference;
      if (referenceNumber === undefined) return 'which';
      const at = now();
      const recordEmail = (await records.record(referenceNumber))?.record.email ?? '';
      const messages = await conversations.messagesOf(referenceNumber);
      const today = messages.filter((message) => isFromChat(message.mailId) && message.at > at - DAY_MS);
      if (today.length >= answersPerDay) return 'too-many';
      const outcome = await conversations.receive({
        kind: 'answer',
        at,
        sender: username === null ? 'Telegram' : `@${username} in Telegram`,
        subject: 'Telegram',
        text: cleanLines(text),
        mailId: chatMessageId(updateId),
        referenceNumber,
        notifies: notifiesTeam(messages, at, (message) => isFromApplicant(message, recordEmail)),
        attachments: [],
        files: [],
        quotas: [],
      });
      return outcome === 'unknown' ? null : 'stored';
    },
  };
}
