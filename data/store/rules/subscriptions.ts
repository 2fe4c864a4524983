import { mailboxOf } from '../../model/mail-address.ts';
import type { NoticeOccasion, StoredNotice, Subscription } from '../subscription-port.ts';
import { isConfirmation, type QueuedDelivery, REMINDER_CONFIRMATION_EVENT } from './received-submission.ts';

/** Whether a delivery is an email that answers an applicant, rather than one that only confirms that the record was received. */
export const isAnswer = (delivery: QueuedDelivery): boolean =>
  delivery.channel === 'mail' &&
  delivery.audience === 'applicant' &&
  !isAboutReminder(delivery) &&
  !isConfirmation(delivery);

/** If true, the delivery's `referenceNumber` is the subscription's id. */
export const isAboutReminder = ({ event }: Pick<QueuedDelivery, 'event'>): boolean =>
  event.startsWith('stake-reminder.');

/** A chat that gets notices about a record. The chat is linked to that record, or to one that was merged into it. */
export interface NoticeChat {
  readonly referenceNumber: string;
  /** The record that the chat is linked to. */
  readonly subject: string;
  readonly target: string;
}

/**
 * SQL for the chats that get notices about records. A merge by wallet can join records that have two different mailboxes. The
 * chat of one applicant must not get notices about the other's record. A chat linked to a contact message gets none after a
 * merge, because it may have been linked without proof that the sender owns the mailbox.
 * @param schema the prefix of table names
 * @param condition the SQL that follows the column `"referenceNumber"`, such as `= ?`
 */
export const noticeChatsSql = (schema: string, condition: string): string => `
  with kept as (
    select "referenceNumber", mailbox from ${schema}reference_numbers where "referenceNumber" ${condition}
  ), linked as (
    select "referenceNumber", "referenceNumber" as subject from kept
    union all select k."referenceNumber", r."referenceNumber" from kept k
      join ${schema}record_merges m on m."mergedInto" = k."referenceNumber"
      join ${schema}reference_numbers r on r."referenceNumber" = m."referenceNumber" and r.mailbox = k.mailbox
  )
  select l."referenceNumber", l.subject, s.target from linked l join ${schema}subscriptions s on s.subject = l.subject
  join ${schema}reference_numbers n on n."referenceNumber" = l."referenceNumber"
  where (n.kind <> 'contact-message' or not exists (
      select 1 from ${schema}record_merges m where m."mergedInto" = l."referenceNumber"))
    and s.about = 'record' and s."endedAt" is null and s.target is not null
  order by l.subject <> l."referenceNumber", l.subject`;

/** Returns one Telegram notice per chat, saying that there is an answer. The notices are due when the email is due. */
export function answerNotices(mail: QueuedDelivery, chats: readonly NoticeChat[]): QueuedDelivery[] {
  const isFirst = ({ target }: NoticeChat, index: number) =>
    chats.findIndex((other) => other.target === target) === index;
  return chats.filter(isFirst).map(({ subject, target }) => ({
    ...mail,
    channel: 'telegram',
    recipient: target,
    // An event is queued only once for each record, channel and audience.
    event: subject === mail.referenceNumber ? mail.event : `${mail.event}:${subject}`,
  }));
}

export const confirmationMail = (id: string, address: string): QueuedDelivery => ({
  ...{ event: REMINDER_CONFIRMATION_EVENT, referenceNumber: id, recipient: address },
  channel: 'mail',
  audience: 'applicant',
});

const NOTICE_EVENT = /^stake-reminder\.(?:week|day|staked|unstaked):(.+)$/;

export const noticeIdOf = ({ event }: Pick<QueuedDelivery, 'event'>): string | null =>
  NOTICE_EVENT.exec(event)?.[1] ?? null;

export const noticeDelivery = ({ id, occasion, subscription }: StoredNotice): QueuedDelivery => ({
  event: `stake-reminder.${occasion}:${id}`,
  referenceNumber: subscription.id,
  channel: subscription.channel,
  audience: 'applicant',
  recipient: subscription.channel === 'push' ? null : subscription.target,
});

export const subscribedMailbox = ({
  channel,
  target,
}: Pick<Subscription, 'channel' | 'target'>): string | null =>
  channel === 'mail' && target !== null ? mailboxOf(target) : null;

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
