import { join } from 'node:path';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { MailTransport } from './mail/mail-transport.ts';
import type { NoticeTransport } from './telegram/telegram-sender.ts';

/** The chat's name while no bot is configured. */
export const OUTBOX_CHAT = 'outbox';

/** Sends emails, or writes them to the outbox if no server is configured. */
export async function mailTransport({ mail }: DeliveryConfig, folder: string): Promise<MailTransport> {
  return mail.transport.kind === 'smtp'
    ? (await import('./mail/smtp-transport.ts')).smtpTransport(mail.transport)
    : (await import('./mail/mail-transport.ts')).outboxTransport(join(folder, 'outbox', 'mail'));
}

/** Sends notices to the team's chat, or writes them to the outbox if no bot is configured. */
export async function noticeTransport(
  { telegram }: DeliveryConfig,
  folder: string,
): Promise<{ readonly transport: NoticeTransport; readonly chatId: string }> {
  if (telegram.kind === 'bot') {
    const { botTransport } = await import('./telegram/bot-transport.ts');
    return { transport: botTransport(telegram), chatId: telegram.chatId };
  }
  const { noticeOutbox } = await import('./telegram/telegram-sender.ts');
  return { transport: noticeOutbox(join(folder, 'outbox', 'telegram')), chatId: OUTBOX_CHAT };
}
