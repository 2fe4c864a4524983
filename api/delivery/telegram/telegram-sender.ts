import type { AlertStore } from '../../../data/store/alert-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { isAboutReminder } from '../../../data/store/rules/subscriptions.ts';
import { alertNotice, isAboutAlert } from '../../alerts/alert-messages.ts';
import { composeShortReminder, type ReminderContext } from '../../reminders/reminder-messages.ts';
import { outboxName, writeToOutbox } from '../outbox-file.ts';
import { chatRecipient } from '../recipients.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';
import { composeApplicantNotice, composeTeamNotice, STOP_TEXT } from './notice.ts';

interface OutgoingNotice {
  readonly text: string;
  readonly chatId: string;
  readonly delivery: Pick<LeasedDelivery, 'id' | 'createdAt'>;
}

export type NoticeTransport = (notice: OutgoingNotice, signal: AbortSignal) => Promise<SendOutcome>;

/** A transport that writes each notice to a `.json` file instead of sending it. */
export function createNoticeOutboxTransport(folder: string): NoticeTransport {
  return ({ chatId, text, delivery }) => {
    const content = JSON.stringify({ chat_id: chatId, text }, null, 2);
    return writeToOutbox(folder, outboxName(delivery.createdAt, delivery.id, 'json'), `${content}\n`);
  };
}

/** Telegram's error codes for a chat that cannot get messages: the person has blocked the bot, or the chat is gone. */
const CHAT_GONE_CODES: ReadonlySet<string> = new Set(['400', '403']);

interface TelegramSenderOptions {
  readonly transport: NoticeTransport;
  readonly chatId: string;
  readonly alerts: Pick<AlertStore, 'find'>;
  readonly origin: string;
  readonly teamOrigin: string;
  /** Without it, no reminders can be sent. */
  readonly reminders?: ReminderContext;
}

/** The text for a chat; null if there is none, `later` while the stakes are unknown. */
async function composeText(
  delivery: LeasedDelivery,
  { alerts, origin, teamOrigin, reminders }: TelegramSenderOptions,
): Promise<string | 'later' | null> {
  if (isAboutAlert(delivery)) return alertNotice(delivery, alerts, teamOrigin);
  if (delivery.audience === 'team') return composeTeamNotice(delivery, teamOrigin);
  if (!isAboutReminder(delivery)) return composeApplicantNotice(delivery, origin);
  const reminder = reminders ? await composeShortReminder(delivery, reminders) : null;
  if (reminder === null || reminder === 'later') return reminder;
  return `${reminder.text}\n${origin}${reminder.path}\n\n${STOP_TEXT}`;
}

export function createTelegramSender(options: TelegramSenderOptions): Sender['send'] {
  const { transport, chatId: teamChat, reminders } = options;
  return async (delivery, signal) => {
    const text = await composeText(delivery, options);
    if (text === 'later') {
      return { kind: 'retry', code: 'no-stakes', error: 'The stakes are not known at the moment.' };
    }
    const isPerson = delivery.audience === 'applicant';
    if (text === null || (isPerson && delivery.recipient === null)) {
      return { kind: 'dead', code: 'no-notice', error: 'This event has no Telegram notice.' };
    }
    const chatId = chatRecipient(delivery, teamChat);
    const outcome = await transport({ text, chatId, delivery }, signal);
    const isGone =
      outcome.kind === 'pause' && outcome.reason === 'refused' && CHAT_GONE_CODES.has(outcome.code);
    if (!isPerson || !isGone) return outcome;
    // The channel does not pause for one unreachable chat, because a pause would hold back the messages to all other chats.
    await reminders?.subscriptions.endChat(chatId, reminders.now());
    return { kind: 'dead', code: outcome.code, error: outcome.error };
  };
}
