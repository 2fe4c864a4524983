import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { MAIL_OUTCOMES, type MailOutcome } from './take-mail.ts';

export interface InboundMetrics {
  readonly onMail: (outcome: MailOutcome) => void;
  readonly onConnected: (isConnected: boolean) => void;
}

/** @param isConfigured whether a mailbox is read; without one, the metrics have no values */
export function inboundMetrics(registry: Registry, isConfigured: boolean): InboundMetrics {
  const mails = new Counter({
    name: 'portal_inbound_mails_total',
    help: 'Mails that were read from the mailbox, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const connected = new Gauge({
    name: 'portal_inbound_mailbox_connected',
    help: 'Whether the mailbox is open: 1 or 0. Only the replica that runs the jobs reads it.',
    registers: isConfigured ? [registry] : [],
  });
  if (isConfigured) for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0);
  return {
    onMail: (outcome) => mails.inc({ outcome }),
    onConnected: (isConnected) => connected.set(Number(isConnected)),
  };
}
