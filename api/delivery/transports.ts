import { join } from 'node:path';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { MailTransport } from './mail/mail-transport.ts';
import type { NoticeTransport } from './telegram/telegram-sender.ts';

/** Stands in for the chat id while no bot is configured. */
export const OUTBOX_CHAT = 'outbox';

export async function openMailTransport({ mail }: DeliveryConfig, folder: string): Promise<MailTransport> {
  return mail.transport.kind === 'smtp'
    ? (await import('./mail/smtp-transport.ts')).createSmtpTransport(mail.transport)
    : (await import('./mail/mail-transport.ts')).createMailOutboxTransport(join(folder, 'outbox', 'mail'));
}

export async function openNoticeTransport(
  { telegram }: DeliveryConfig,
  folder: string,
): Promise<{ readonly transport: NoticeTransport; readonly chatId: string }> {
  if (telegram.kind === 'bot') {
    const { createBotTransport } = await import('./telegram/bot-transport.ts');
    return { transport: createBotTransport(telegram), chatId: telegram.chatId };
  }
  const { createNoticeOutboxTransport } = await import('./telegram/telegram-sender.ts');
  return { transport: createNoticeOutboxTransport(join(folder, 'outbox', 'telegram')), chatId: OUTBOX_CHAT };
}
