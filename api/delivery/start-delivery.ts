import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { deliveryMetrics } from '../operations/delivery-metrics.ts';
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts';
import type { SubmissionReaders } from './mail/draft.ts';
import { maskedAddress, maskedChat } from './masked-recipient.ts';
import { chatRecipient, mailRecipient } from './recipients.ts';
import type { Sender } from './send-outcome.ts';

export interface DeliveryOptions {
  readonly config: DeliveryConfig;
  readonly store: Pick<AppStore, 'deliveries'> & SubmissionReaders;
  /** The folder of the store files, whose `outbox` takes what is not sent. */
  readonly folder: string;
  /** Where people reach the portal, without a slash at its end. */
  readonly origin: string;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: () => Promise<number | null>;
  readonly log: Logger;
  readonly registry: Registry;
}

/** The name of the chat in notices that go nowhere. */
const OUTBOX_CHAT = 'outbox';

/** A sender whose parts are loaded with the first message: they take a while, and the portal is to start without them. */
function loadedLater(
  maskedRecipient: Sender['maskedRecipient'],
  load: () => Promise<Sender['send']>,
): Sender {
  let loading: Promise<Sender['send']> | undefined;
  return {
    maskedRecipient,
    send: async (delivery, signal) => {
      loading ??= load();
      return (await loading)(delivery, signal);
    },
  };
}

function mailSender({ config, store, folder, origin, decimals }: DeliveryOptions): Sender {
  const { transport: server, from, team } = config.mail;
  return loadedLater(
    (delivery) => maskedAddress(mailRecipient(delivery, team)),
    async () => {
      const { createMailSender } = await import('./mail/mail-sender.ts');
      const transport =
        server.kind === 'smtp'
          ? (await import('./mail/smtp-transport.ts')).smtpTransport(server)
          : (await import('./mail/outbox-transport.ts')).outboxTransport(join(folder, 'outbox', 'mail'));
      return createMailSender({ submissions: store, transport, from, team, origin, decimals });
    },
  );
}

function telegramSender({ config: { telegram }, folder, origin }: DeliveryOptions): Sender {
  const chatId = telegram.kind === 'bot' ? telegram.chatId : OUTBOX_CHAT;
  return loadedLater(
    (delivery) => maskedChat(chatRecipient(delivery, chatId)),
    async () => {
      const { botTransport, createTelegramSender, noticeOutbox } = await import(
        './telegram/telegram-sender.ts'
      );
      const transport =
        telegram.kind === 'bot' ? botTransport(telegram) : noticeOutbox(join(folder, 'outbox', 'telegram'));
      return createTelegramSender({ transport, chatId, origin });
    },
  );
}

/** Starts to deliver what is queued, by mail and Telegram as they are configured, with its metrics. */
export async function startDelivery(options: DeliveryOptions): Promise<DeliveryWorker> {
  const { store, log, registry } = options;
  const metrics = deliveryMetrics(registry, {
    depths: () => store.deliveries.depths(),
    pauses: () => worker.pauses(),
  });
  const worker: DeliveryWorker = await startDeliveryWorker({
    store: store.deliveries,
    senders: { mail: mailSender(options), telegram: telegramSender(options) },
    log,
    onAttempt: metrics.attempted,
  });
  return worker;
}
