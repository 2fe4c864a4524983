import type { AlertStore } from '../../../data/store/alert-port.ts';
import type { LeasedDelivery } from '../../../data/store/delivery-port.ts';
import { alertNotice, isAboutAlert } from '../../alerts/alert-messages.ts';
import { outboxName, writeToOutbox } from '../outbox-file.ts';
import { chatRecipient } from '../recipients.ts';
import type { Sender, SendOutcome } from '../send-outcome.ts';
import { composeNotice } from './notice.ts';

interface OutgoingNotice {
  readonly text: string;
  readonly chatId: string;
  readonly delivery: Pick<LeasedDelivery, 'id' | 'createdAt'>;
}

export type NoticeTransport = (notice: OutgoingNotice, signal: AbortSignal) => Promise<SendOutcome>;

/** Writes each notice to a `.json` file instead of sending it. */
export function noticeOutbox(folder: string): NoticeTransport {
  return ({ chatId, text, delivery }) => {
    const content = JSON.stringify({ chat_id: chatId, text }, null, 2);
    return writeToOutbox(folder, outboxName(delivery.createdAt, delivery.id, 'json'), `${content}\n`);
  };
}

export function createTelegramSender(options: {
  readonly transport: NoticeTransport;
  readonly chatId: string;
  readonly alerts: Pick<AlertStore, 'find'>;
  /** The URL of the team's pages without a final slash. */
  readonly teamOrigin: string;
}): Sender['send'] {
  const { transport, chatId, alerts, teamOrigin } = options;
  return async (delivery, signal) => {
    const text = isAboutAlert(delivery)
      ? await alertNotice(delivery, alerts, teamOrigin)
      : composeNotice(delivery, teamOrigin);
    if (text === null) {
      return { kind: 'dead', code: 'no-notice', error: 'This event has no Telegram notice.' };
    }
    return transport({ text, chatId: chatRecipient(delivery, chatId), delivery }, signal);
  };
}
