import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { MAIL_OUTCOMES, type MailOutcome } from './take-mail.ts';

export interface InboundMetrics {
  readonly onMail: (outcome: MailOutcome) => void;
  /** Called with null when this replica stops reading the mailbox. */
  readonly onConnected: (isConnected: boolean | null) => void;
  /** Null if this replica does not read the mailbox. */
  readonly isMailboxOpen: () => boolean | null;
}

export interface ForwardedMailOptions extends Pick<InboundMetrics, 'onMail'> {
  /** Null if no mail server forwards emails. */
  readonly secret: string | null;
  readonly ownAddresses: readonly string[];
}

/** @param config null if the portal receives no emails; the metrics then have no values */
export function inboundMetrics(
  registry: Registry,
  config: { readonly mailbox: unknown } | null,
): InboundMetrics {
  const mails = new Counter({
    name: 'portal_inbound_mails_total',
    help: 'Incoming emails, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const connectedGauge = new Gauge({
    name: 'portal_inbound_mailbox_connected',
    help: 'Whether the mailbox can be read: 1 or 0. Only the replica that runs the jobs reads it.',
    registers: config?.mailbox ? [registry] : [],
  });
  if (config) for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0);
  let isMailboxOpen: boolean | null = null;
  return {
    onMail: (outcome) => mails.inc({ outcome }),
    onConnected: (isConnected) => {
      isMailboxOpen = isConnected;
      connectedGauge.set(Number(isConnected));
    },
    isMailboxOpen: () => isMailboxOpen,
  };
}
