import type { DeliveryConfig } from '../../../data/config/delivery-variables.ts';
import { isSoleMailAddress } from '../../../data/model/mail-address.ts';
import { mailRecipient } from '../recipients.ts';
import type { Sender } from '../send-outcome.ts';
import type { SubmissionReaders } from './draft.ts';
import { composeMail } from './mail-composer.ts';
import type { MailTransport } from './outgoing-mail.ts';

export interface MailSenderOptions extends Pick<DeliveryConfig['mail'], 'from' | 'team'> {
  readonly submissions: SubmissionReaders;
  readonly transport: MailTransport;
  /** Where people reach the portal. */
  readonly origin: string;
  /** Decimals of BD; null while they have not been read from the chain. */
  readonly decimals: () => Promise<number | null>;
}

/** Makes the mails of deliveries, and hands them to a transport. */
export function createMailSender(options: MailSenderOptions): Sender['send'] {
  const { submissions, transport, from, team, origin, decimals } = options;
  return async (delivery, signal) => {
    const to = mailRecipient(delivery, team);
    if (!isSoleMailAddress(to)) {
      return { kind: 'dead', code: 'no-address', error: 'The recipient is no mail address.' };
    }
    const composed = await composeMail(delivery, submissions, { origin, decimals: await decimals() });
    if (!composed) {
      return {
        kind: 'dead',
        code: 'no-letter',
        error: 'There is nothing stored to tell of, or no letter for it.',
      };
    }
    const { messageId, createdAt } = delivery;
    return transport({ ...composed, from, to, messageId, date: new Date(createdAt) }, signal);
  };
}
