import { randomBytes } from 'node:crypto';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { ReminderTokens } from './reminder-tokens.ts';

/** Milliseconds for which a link of a chat is valid. */
export const CHAT_LINK_LIFE = PORTAL_LIMITS.chatLinkMinutes * 60_000;

export const newSubscriptionId = (): string => randomBytes(16).toString('base64url');

/** Links between people's chats with the bot and the wallets and records that they get messages about. */
export interface ChatLinks {
  /** Uses the token of a link. @returns what the chat is now linked to; null if the link is not valid */
  start(token: string, chatId: string): Promise<'reminder' | 'record' | null>;
  /** @returns how many links ended */
  stop(chatId: string): Promise<number>;
  /** How many wallets and records a chat is linked to. */
  count(chatId: string): Promise<{ readonly wallets: number; readonly records: number }>;
}

export function createChatLinks(context: {
  readonly store: Pick<AppStore, 'subscriptions' | 'records'>;
  readonly tokens: ReminderTokens;
  /** The slot of the latest stakes; null while it is unknown. */
  readonly slot: () => number | null;
  readonly now: () => number;
}): ChatLinks {
  const { tokens, now, slot } = context;
  const { subscriptions, records } = context.store;
  return {
    start: async (token, chatId) => {
      const link = tokens.readChat(token);
      const at = now();
      if (link?.kind === 'reminder') {
        const request = { id: link.id, target: chatId, requestedSince: at - CHAT_LINK_LIFE };
        const found = await subscriptions.find(link.id);
        if (found?.channel !== 'telegram') return null;
        return (await subscriptions.confirm(request, { at, fromSlot: slot() })) === null ? null : 'reminder';
      }
      if (!link || link.issuedAt < at - CHAT_LINK_LIFE) return null;
      // An erased record has no applicant to notify.
      if ((await records.record(link.referenceNumber)) === null) return null;
      const { referenceNumber, issuedAt } = link;
      const request = { id: newSubscriptionId(), referenceNumber, issuedAt };
      return (await subscriptions.linkRecord(request, chatId, at)) ? 'record' : null;
    },
    stop: (chatId) => subscriptions.endChat(chatId, now()),
    count: async (chatId) => {
      const found = await subscriptions.ofChat(chatId);
      const wallets = found.filter(({ about }) => about === 'stakes').length;
      return { wallets, records: found.length - wallets };
    },
  };
}
