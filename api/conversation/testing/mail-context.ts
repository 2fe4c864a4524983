import { pino } from 'pino';
import { rateLimits } from '../../../data/config/rate-limits.ts';
import { documentQuotas } from '../../documents/document-quotas.ts';
import { TEST_MASTER_KEY } from '../../testing/test-portal.ts';
import type { MailContext } from '../take-mail.ts';

export function mailContext(
  store: MailContext['store'],
  { now, ...changes }: Partial<MailContext> & Pick<MailContext, 'now'>,
): MailContext {
  return {
    store,
    own: ['portal@example.com'],
    messagesPerSender: 2,
    quotas: documentQuotas({ masterKey: TEST_MASTER_KEY, rateLimits: rateLimits(), now }),
    masterKey: TEST_MASTER_KEY,
    isDiskShort: () => false,
    now,
    log: pino({ level: 'silent' }),
    ...changes,
  };
}
