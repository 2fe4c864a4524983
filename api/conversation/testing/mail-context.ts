import { pino } from 'pino';
import { rateLimits } from '../../../data/config/rate-limits.ts';
import { TEST_MASTER_KEY } from '../../testing/test-portal.ts';
import type { InboundMailContext } from '../take-mail.ts';

export function mailContext(
  store: InboundMailContext['store'],
  changes: Partial<InboundMailContext> & Pick<InboundMailContext, 'now'>,
): InboundMailContext {
  return {
    store,
    ownAddresses: ['portal@example.com'],
    rateLimits: rateLimits({ 'inbound-messages-of-email': 2 }),
    masterKey: TEST_MASTER_KEY,
    isDiskSpaceLow: () => false,
    log: pino({ level: 'silent' }),
    ...changes,
  };
}
