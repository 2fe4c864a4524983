import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { AlertConfig } from '../../data/config/alert-variables.ts';
import type { DeliveryConfig } from '../../data/config/delivery-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { MAX_ATTEMPTS, retryWaitMs } from './backoff.ts';
import type { MailSource } from './mail/layout/render-mail.ts';
import type { SendOutcome } from './send-outcome.ts';
import { openMailTransport, openNoticeTransport } from './transports.ts';

/** Contains neither personal data nor secrets. */
export interface TeamAlert {
  readonly subject: string;
  /** One paragraph. */
  readonly text: string;
}

/** Sends an alert to the team by email and Telegram. Never throws. */
export type AlertTeam = (alert: TeamAlert) => void;

type SendAlert = (alert: TeamAlert, id: string, signal: AbortSignal) => Promise<SendOutcome>;

/**
 * Alerts bypass the delivery queue, because some of them report that nothing can be stored. Each is retried like a delivery
 * unless it is rejected permanently, but is lost if the portal stops.
 */
export function createTeamAlerts(options: {
  readonly config: DeliveryConfig;
  /** Where alerts are sent. A null field means the team's own email address or chat. */
  readonly to: Pick<AlertConfig, 'email' | 'chatId'>;
  readonly site: () => MailSource;
  /** The data folder, which contains the outbox. */
  readonly folder: string;
  readonly log: Logger;
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}): { readonly alertTeam: AlertTeam; stop(): Promise<void> } {
  const { config, to, site, folder, log, pause = unrefedPause } = options;
  const stopController = new AbortController();
  const pendingDeliveries = new Set<Promise<void>>();

  const sendMail: SendAlert = async ({ subject, text }, id, signal) => {
    const { renderMail } = await import('./mail/layout/render-mail.ts');
    const { from, teamAddress } = config.mail;
    const message = {
      ...renderMail({ subject, parts: [text] }, site()),
      from,
      to: to.email ?? teamAddress,
    };
    const transport = await openMailTransport(config, folder);
    const messageId = `${id}@${from.address.replace(/^.*@/, '')}`;
    return transport({ ...message, id, messageId, date: new Date() }, signal);
  };
  const sendNotice: SendAlert = async ({ subject, text }, id, signal) => {
    const { transport, chatId } = await openNoticeTransport(config, folder);
    return transport(
      { text: `${subject}\n${text}`, chatId: to.chatId ?? chatId, delivery: { id, createdAt: Date.now() } },
      signal,
    );
  };

  const deliver = async (channel: string, send: SendAlert, alert: TeamAlert): Promise<void> => {
    const id = randomUUID();
    const { signal } = stopController;
    for (let attempts = 1; attempts <= MAX_ATTEMPTS && !signal.aborted; attempts += 1) {
      const outcome = await send(alert, id, signal).catch(() => null);
      if (outcome?.kind === 'sent') return;
      log.warn({ channel, outcome: outcome?.kind ?? 'failed' }, 'an alert to the team was not sent');
      if (outcome?.kind === 'dead') return;
      await pause(retryWaitMs(attempts, 1), signal);
    }
  };

  return {
    alertTeam(alert) {
      for (const [channel, send] of Object.entries({ mail: sendMail, telegram: sendNotice })) {
        const delivery = deliver(channel, send, alert).finally(() => pendingDeliveries.delete(delivery));
        pendingDeliveries.add(delivery);
      }
    },
    async stop() {
      stopController.abort();
      await Promise.all(pendingDeliveries);
    },
  };
}

async function unrefedPause(milliseconds: number, signal: AbortSignal): Promise<void> {
  // Aborting ends the pause with an error.
  await setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
