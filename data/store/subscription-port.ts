import type { DeliveryChannel } from './delivery-port.ts';

/** `week`, `day`: how long before a lock ends. `staked`, `unstaked`: a stake of the wallet changed. */
export const NOTICE_OCCASIONS = ['week', 'day', 'staked', 'unstaked'] as const;
export type NoticeOccasion = (typeof NOTICE_OCCASIONS)[number];

/** A person's subscription to messages about the stakes of a wallet, or about answers to a record. Times are Unix ms. */
export interface Subscription {
  readonly id: string;
  readonly about: 'stakes' | 'record';
  /** A wallet address or a reference number. */
  readonly subject: string;
  readonly channel: DeliveryChannel;
  /** An email address, a chat id or a push endpoint with its keys as JSON; null until a chat is linked. */
  readonly target: string | null;
  readonly requestedAt: number;
  readonly confirmedAt: number | null;
  /** Only changes after this slot are reported; null while it is unknown. */
  readonly fromSlot: number | null;
  /** The time since which the wallet has had no stake; null if it has one. */
  readonly idleSince: number | null;
}

/** Something to report to a subscriber. Each cause is reported only once. */
export interface NewNotice {
  readonly subscription: Subscription;
  readonly occasion: NoticeOccasion;
  /**
   * Two values, separated by a space. For `week` and `day`: the stake entry and the end of its lock (Unix ms). For `staked`
   * and `unstaked`: the transaction's signature and the event's number within the transaction.
   */
  readonly cause: string;
}

export interface StoredNotice extends NewNotice {
  readonly id: string;
}

/** People's subscriptions. Ended ones are not returned, and the messages queued for them are not sent. */
export interface SubscriptionStore {
  /**
   * Stores a subscription to a wallet's stakes. It replaces the wallet's unconfirmed request for the same email address
   * or, for Telegram, its request that no chat is linked to yet. An email address must be confirmed, so the email with
   * the link is queued. A push endpoint needs no confirmation.
   * @param limits how many subscriptions a wallet may have in each channel, and how many requests may be made for one mailbox
   * after the time `since`
   * @returns `known` if the target is already subscribed
   */
  request(
    subscription: Pick<Subscription, 'id' | 'subject' | 'channel' | 'target' | 'requestedAt' | 'fromSlot'>,
    limits: { readonly perChannel: number; readonly perAddress: number; readonly since: number },
  ): Promise<'stored' | 'known' | 'full' | 'too-many'>;
  /**
   * Confirms the target. Only the first target is accepted; confirming it again has no effect. If the target is already
   * subscribed, ends the request and returns the existing subscription.
   * @returns null if there is no such request, it was made before `requestedSince`, or another target was confirmed
   */
  confirm(
    request: { readonly id: string; readonly target: string | null; readonly requestedSince: number },
    confirmation: { readonly at: number; readonly fromSlot: number | null },
  ): Promise<Subscription | null>;
  /**
   * Subscribes a chat to the answers to a record. A record has one chat at a time.
   * @param link the link's id, and when it was issued. Each link works once. As soon as a link is used, links that were
   * issued earlier stop working.
   * @returns whether the chat is subscribed
   */
  linkRecord(
    link: { readonly id: string; readonly referenceNumber: string; readonly issuedAt: number },
    chatId: string,
    at: number,
  ): Promise<boolean>;
  find(id: string): Promise<Subscription | null>;
  /** Oldest first. */
  ofWallet(walletAddress: string): Promise<readonly Subscription[]>;
  /** The confirmed subscriptions of a chat. */
  ofChat(chatId: string): Promise<readonly Subscription[]>;
  confirmedForStakes(): Promise<readonly Subscription[]>;
  /**
   * @param walletAddress the wallet that the subscription must be about; null for any wallet
   * @returns whether the subscription was active
   */
  end(id: string, walletAddress: string | null, at: number): Promise<boolean>;
  endChat(chatId: string, at: number): Promise<number>;
  /**
   * Queues the notices that were not queued before. Even concurrent calls queue each notice only once.
   * @returns the number of notices queued
   */
  queue(notices: readonly NewNotice[], at: number): Promise<number>;
  notice(id: string): Promise<StoredNotice | null>;
  saveProgress(subscriptions: readonly Pick<Subscription, 'id' | 'fromSlot' | 'idleSince'>[]): Promise<void>;
  /**
   * Deletes subscriptions that ended no later than `endedBefore`, or were requested no later than that and never confirmed.
   * Also deletes subscriptions to wallets that have had no stake since `idleBefore`.
   * @returns the number of subscriptions deleted
   */
  sweep(before: { readonly endedBefore: number; readonly idleBefore: number }): Promise<number>;
}
