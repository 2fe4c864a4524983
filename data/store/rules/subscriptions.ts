import { mailboxOf } from '../../model/mail-address.ts';
import type { NoticeOccasion, StoredNotice, Subscription } from '../subscription-port.ts';
import { isConfirmation, type QueuedDelivery, REMINDER_CONFIRMATION_EVENT } from './received-submission.ts';

/** Whether a delivery reports an answer to an applicant, and not only that the record was received. */
export const isAnswer = (delivery: QueuedDelivery): boolean =>
  delivery.channel === 'mail' &&
  delivery.audience === 'applicant' &&
  !isAboutReminder(delivery) &&
  !isConfirmation(delivery);

/** Whether a delivery is about a subscription to a wallet's stakes. Its reference is the subscription's id. */
export const isAboutReminder = ({ event }: Pick<QueuedDelivery, 'event'>): boolean =>
  event.startsWith('stake-reminder.');

/** The notice in Telegram that there is an answer. It is due together with the email. */
export const answerNotice = (mail: QueuedDelivery, chatId: string): QueuedDelivery => ({
  ...mail,
  channel: 'telegram',
  recipient: chatId,
});

/** The email that asks for a click to confirm an address. */
export const confirmationMail = (id: string, address: string): QueuedDelivery => ({
  ...{ event: REMINDER_CONFIRMATION_EVENT, referenceNumber: id, recipient: address },
  channel: 'mail',
  audience: 'applicant',
});

const NOTICE_EVENT = /^stake-reminder\.(?:week|day|staked|unstaked):(.+)$/;

/** The id of the notice that a delivery is about; null if it is about none. */
export const noticeIdOf = ({ event }: Pick<QueuedDelivery, 'event'>): string | null =>
  NOTICE_EVENT.exec(event)?.[1] ?? null;

export const noticeDelivery = ({ id, occasion, subscription }: StoredNotice): QueuedDelivery => ({
  event: `stake-reminder.${occasion}:${id}`,
  referenceNumber: subscription.id,
  channel: subscription.channel,
  audience: 'applicant',
  recipient: subscription.channel === 'push' ? null : subscription.target,
});

/** The mailbox of a subscription; null if it is not to an email address. */
export const subscribedMailbox = ({
  channel,
  target,
}: Pick<Subscription, 'channel' | 'target'>): string | null =>
  channel === 'mail' && target !== null ? mailboxOf(target) : null;

/** A row of a notice with its subscription. */
export interface NoticeRow extends Subscription {
  readonly noticeId: string;
  readonly occasion: NoticeOccasion;
  readonly cause: string;
}

export const toNotice = ({ noticeId, occasion, cause, ...subscription }: NoticeRow): StoredNotice => ({
  id: noticeId,
  subscription,
  occasion,
  cause,
});
