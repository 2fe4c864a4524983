import { Telegram } from 'telegraf';
import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { outboxName, writeToOutbox } from '../outbox-file.ts';
import { chatRecipient } from '../recipients.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';
import { composeNotice, type OutgoingNotice } from './notice.ts';
import { telegramOutcome } from './telegram-outcome.ts';

type Bot = Extract<DeliveryConfig['telegram'], { kind: 'bot' }>;

/** What takes a notice on its way. */
export type NoticeTransport = (notice: OutgoingNotice, signal: AbortSignal) => Promise<SendOutcome>;

/** Telegraf's types name the signal of a stand-in from before Node had its own, which it takes as well. */
type TelegrafSignal = NonNullable<NonNullable<Parameters<Telegram['callApi']>[2]>['signal']>;

/** Milliseconds that Telegram may take to answer. */
const ANSWER_WITHIN = 30_000;

/** Sends as the bot, through Telegram or another server of its Bot API. */
export function botTransport({ token, apiRoot }: Bot, answerWithin = ANSWER_WITHIN): NoticeTransport {
  const telegram = new Telegram(token, { apiRoot });
  return async ({ chatId, text }, signal) => {
    const message = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
    try {
      const ended = AbortSignal.any([signal, AbortSignal.timeout(answerWithin)]) as unknown as TelegrafSignal;
      const { message_id } = await telegram.callApi('sendMessage', message, { signal: ended });
      return { kind: 'sent', providerId: String(message_id) };
    } catch (failure) {
      return telegramOutcome(failure);
    }
  };
}

/** Keeps each notice as a `.json` file, in place of sending it. */
export function noticeOutbox(folder: string): NoticeTransport {
  return ({ chatId, text, delivery }) => {
    const content = JSON.stringify({ chat_id: chatId, text }, null, 2);
    return writeToOutbox(folder, outboxName(delivery.createdAt, delivery.id, 'json'), `${content}\n`);
  };
}

/** Makes the notices of deliveries, and hands them to a transport. */
export function createTelegramSender(options: {
  readonly transport: NoticeTransport;
  readonly chatId: string;
  /** Where people reach the portal. */
  readonly origin: string;
}): Sender['send'] {
  const { transport, chatId, origin } = options;
  return async (delivery, signal) => {
    const notice = composeNotice(delivery, origin);
    if (!notice) return { kind: 'dead', code: 'no-notice', error: 'This is not told by Telegram.' };
    return transport({ ...notice, chatId: chatRecipient(delivery, chatId), delivery }, signal);
  };
}
