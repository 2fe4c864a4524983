import * as PATHS from '../../data/contract/paths.ts';
import { REMINDERS_PAGE } from '../../data/contract/reminders.ts';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { LeasedDelivery } from '../../data/store/delivery-port.ts';
import { REMINDER_CONFIRMATION_EVENT } from '../../data/store/rules/received-submission.ts';
import { noticeIdOf } from '../../data/store/rules/subscriptions.ts';
import type { StoredNotice, SubscriptionStore } from '../../data/store/subscription-port.ts';
import type { MailTemplate } from '../delivery/mail/mail-template.ts';
import {
  confirmRemindersTemplate,
  stakeChangeTemplate,
  stakeUnlockTemplate,
} from '../delivery/mail/templates/stake-mails.ts';
import type { CurrentStakes } from '../staking/current-stakes.ts';
import type { ReminderTokens } from './reminder-tokens.ts';

export interface ReminderContext {
  readonly subscriptions: Pick<SubscriptionStore, 'find' | 'notice' | 'end' | 'endChat'>;
  /** Null while the stakes are unknown. */
  readonly stakes: () => CurrentStakes | null;
  readonly tokens: ReminderTokens;
  /** The site's URL without a trailing slash. */
  readonly origin: string;
  /** The API's URL without a trailing slash. */
  readonly apiOrigin: string;
  readonly now: () => number;
}

type Delivery = Pick<LeasedDelivery, 'event' | 'referenceNumber'>;

/** A stored notice, with what it reports: a lock that ends soon, or a changed stake. */
type Reminder = StoredNotice &
  (
    | {
        readonly kind: 'unlocks';
        readonly unlocksAt: number;
        readonly amount: bigint;
        readonly decimals: number;
      }
    | { readonly kind: 'changed'; readonly signature: string }
  );

/**
 * Reads what a delivery reports. Returns null if the person has stopped the reminders in the meantime, or if the stake has been
 * withdrawn or its lock has ended or restarted. Returns `later` while the stakes are unknown.
 */
async function reminderOf(
  delivery: Delivery,
  { subscriptions, stakes }: Pick<ReminderContext, 'subscriptions' | 'stakes'>,
): Promise<Reminder | 'later' | null> {
  const notice = await subscriptions.notice(noticeIdOf(delivery) ?? '');
  if (!notice) return null;
  const [addressOrSignature = '', detail = ''] = notice.cause.split(' ');
  if (notice.occasion === 'staked' || notice.occasion === 'unstaked') {
    return { ...notice, kind: 'changed', signature: addressOrSignature };
  }
  const current = stakes();
  if (!current) return 'later';
  const unlocksAt = Number(detail);
  const { openStakesByWallet, decimals } = current.content;
  const open = openStakesByWallet.get(notice.subscription.subject) ?? [];
  const entry = open.find((one) => one.address === addressOrSignature && one.unlocksAt === unlocksAt);
  if (!entry || unlocksAt <= current.readAt) return null;
  return { ...notice, kind: 'unlocks', unlocksAt, amount: entry.amount, decimals };
}

interface ReminderMail {
  readonly template: MailTemplate;
  /** The URL for one-click unsubscribing in mail programs; null in the email that asks the person to confirm the address. */
  readonly unsubscribeUrl: string | null;
}

export async function composeReminderMail(
  delivery: Delivery,
  context: ReminderContext,
): Promise<ReminderMail | 'later' | null> {
  const { subscriptions, tokens, origin, apiOrigin } = context;
  if (delivery.event === REMINDER_CONFIRMATION_EVENT) {
    const request = await subscriptions.find(delivery.referenceNumber);
    if (!request || request.confirmedAt !== null) return null;
    const url = `${origin}${REMINDERS_PAGE}#confirm=${tokens.confirmationToken(request.id)}`;
    return {
      template: confirmRemindersTemplate({ url, validHours: PORTAL_LIMITS.reminderLinkHours }),
      unsubscribeUrl: null,
    };
  }
  const reminder = await reminderOf(delivery, context);
  if (reminder === null || reminder === 'later') return reminder;
  const { id, subject: walletAddress } = reminder.subscription;
  const token = tokens.stopToken(id);
  const stopUrl = `${origin}${REMINDERS_PAGE}#stop=${token}`;
  const template =
    reminder.kind === 'changed'
      ? stakeChangeTemplate(
          { walletAddress, occasion: reminder.occasion, signature: reminder.signature, stopUrl },
          { origin },
        )
      : stakeUnlockTemplate({ ...reminder, walletAddress, stopUrl }, { origin, decimals: reminder.decimals });
  return { template, unsubscribeUrl: `${apiOrigin}${PATHS.stopReminder}?subscription=${token}` };
}

const DATE_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The message names neither the wallet nor an amount. */
export async function composeShortReminder(
  delivery: Delivery,
  context: Pick<ReminderContext, 'subscriptions' | 'stakes'>,
): Promise<{ readonly text: string; readonly path: string } | 'later' | null> {
  const reminder = await reminderOf(delivery, context);
  if (reminder === null || reminder === 'later') return reminder;
  const path = '/my-position';
  if (reminder.kind === 'unlocks') {
    return { text: `One of your locks ends on ${DATE_FORMAT.format(reminder.unlocksAt)}.`, path };
  }
  const change =
    reminder.occasion === 'staked'
      ? 'A new stake was made for one of your wallets.'
      : 'A stake in one of your wallets was withdrawn.';
  return {
    text: `${change} If you did not expect this, check your position.`,
    path,
  };
}
