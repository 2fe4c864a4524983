import type { Registry } from '@prometheus-io/client';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { RateLimits } from '../../data/config/rate-limits.ts';
import type { Organization } from '../../data/model/organization.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { StatusProofOf } from '../applications/status-proof.ts';
import { createReplyComposer } from '../conversation/reply-mail.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { deliveryMetrics } from '../operations/delivery-metrics.ts';
import { webhookMetrics } from '../operations/webhook-metrics.ts';
import type { ReminderContext } from '../reminders/reminder-messages.ts';
import type { ComposeWeekly } from '../reports/weekly-mails.ts';
import { type DeliveryWorker, startDeliveryWorker } from './delivery-worker.ts';
import type { VapidKeys } from './push/vapid-keys.ts';
import { chatRecipient, mailRecipient, maskAddress, maskChat } from './recipients.ts';
import type { Sender } from './send-outcome.ts';
import { OUTBOX_CHAT, openMailTransport, openNoticeTransport } from './transports.ts';
import { startWebhookWorker, type WebhookWorkerOptions } from './webhooks/webhook-worker.ts';

interface DeliveryOptions {
  readonly config: DeliveryConfig;
  readonly store: Pick<
    AppStore,
    'deliveries' | 'submissions' | 'records' | 'cards' | 'conversations' | 'alerts' | 'admins' | 'webhooks'
  >;
  /** The data folder. Messages for channels that are not configured are written to its subfolder `outbox`. */
  readonly folder: string;
  readonly origin: string;
  readonly teamOrigin: string;
  readonly decimals: () => Promise<number | null>;
  readonly masterKey: MasterKey;
  readonly confirmationToken: (applicationId: string) => string;
  readonly adminLinkToken: (linkId: string) => string;
  /** Without it, no emails about the weekly report can be sent. */
  readonly composeWeekly?: ComposeWeekly;
  readonly statusProofOf: StatusProofOf;
  readonly reminders?: ReminderContext & { readonly vapid: VapidKeys };
  /** Null if the site is not built. */
  readonly organization: Organization | null;
  readonly rateLimits: RateLimits;
  readonly log: Logger;
  readonly registry: Registry;
  /** Options for the webhook worker; null to send no webhooks. `allowsLoopback` also applies to push messages. */
  readonly webhookOptions: Pick<WebhookWorkerOptions, 'box' | 'allowsLoopback'> | null;
}

/** A sender that loads its libraries when it sends its first message, so that the portal starts without waiting for them. */
function lazySender(maskedRecipient: Sender['maskedRecipient'], load: () => Promise<Sender['send']>): Sender {
  let loading: Promise<Sender['send']> | undefined;
  return {
    maskedRecipient,
    send: async (delivery, signal) => {
      loading ??= load();
      return (await loading)(delivery, signal);
    },
  };
}

function mailSender({ config, store, folder, ...context }: DeliveryOptions): Sender {
  const { from, teamAddress } = config.mail;
  const inboundAddress = config.inbound?.address ?? null;
  const { origin, organization } = context;
  return lazySender(
    (delivery) => maskAddress(mailRecipient(delivery, teamAddress)),
    async () => {
      const { createMailSender } = await import('./mail/mail-sender.ts');
      const transport = await openMailTransport(config, folder);
      return createMailSender({
        ...context,
        ...store,
        replies: createReplyComposer({ organization, origin: () => origin, inboundAddress }),
        transport,
        from,
        teamAddress,
      });
    },
  );
}

function telegramSender({ config, store, folder, ...context }: DeliveryOptions): Sender {
  const { telegram } = config;
  const chatId = telegram.kind === 'bot' ? telegram.chatId : OUTBOX_CHAT;
  return lazySender(
    (delivery) => maskChat(chatRecipient(delivery, chatId)),
    async () => {
      const { createTelegramSender } = await import('./telegram/telegram-sender.ts');
      const transport = await openNoticeTransport(config, folder);
      return createTelegramSender({ ...context, ...transport, alerts: store.alerts });
    },
  );
}

function pushSender({ config, reminders, organization, webhookOptions }: DeliveryOptions): Sender {
  return lazySender(
    () => 'a browser',
    async () => {
      if (!reminders) throw new Error('No reminders can be sent.');
      const { createPushSender } = await import('./push/push-sender.ts');
      return createPushSender({
        reminders,
        vapid: reminders.vapid,
        contact: organization?.supportEmail ?? config.mail.from.address,
        allowsLoopback: webhookOptions?.allowsLoopback ?? false,
      });
    },
  );
}

export async function startDelivery(options: DeliveryOptions): Promise<DeliveryWorker> {
  const { store, rateLimits, log, registry } = options;
  const metrics = deliveryMetrics(registry, {
    nextDueAt: (channel) => store.deliveries.nextDueAt(channel),
    now: Date.now,
    depths: () => store.deliveries.queueDepths(),
    pauses: () => worker.pauses(),
  });
  const worker: DeliveryWorker = await startDeliveryWorker({
    store: store.deliveries,
    senders: { mail: mailSender(options), telegram: telegramSender(options), push: pushSender(options) },
    rateLimits,
    log,
    onAttempt: metrics.countAttempt,
  });
  if (options.webhookOptions === null) return worker;
  const webhooks = await startWebhookWorker({
    ...options.webhookOptions,
    origin: options.teamOrigin,
    log,
    store: store.webhooks,
    onQueued: (listener) => store.deliveries.onQueued(listener),
    onAttempt: webhookMetrics(registry, store.webhooks),
  });
  return {
    pauses: () => worker.pauses(),
    wake: () => {
      worker.wake();
      webhooks.wake();
    },
    stop: async () => void (await Promise.all([worker.stop(), webhooks.stop()])),
  };
}
