import { pino } from 'pino';
import { rateLimits } from '../../../data/config/rate-limits.ts';
import { documentQuotas } from '../../documents/document-quotas.ts';
import { TEST_MASTER_KEY } from '../../testing/test-portal.ts';
import type { InboundMailContext } from '../take-mail.ts';

export function mailContext(
  store: InboundMailContext['store'],
  { now, ...changes }: Partial<InboundMailContext> & Pick<InboundMailContext, 'now'>,
): InboundMailContext {
  return {
    store,
    ownAddresses: ['portal@example.com'],
    messagesPerSender: 2,
    answersPerRecord: rateLimits()['inbound-answers-of-record'],
    quotas: documentQuotas({ masterKey: TEST_MASTER_KEY, rateLimits: rateLimits(), now }),
    masterKey: TEST_MASTER_KEY,
    isDiskSpaceLow: () => false,
    now,
    log: pino({ level: 'silent' }),
    ...changes,
  };
}
