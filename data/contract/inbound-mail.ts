import { z } from 'zod';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';

export const inboundMail = {
  method: 'POST',
  path: PATHS.inboundMail,
  summary: 'Receives a raw email (RFC 5322), signed by the mail server that forwards it',
  access: 'mail-server',
  response: z.object({
    outcome: z
      .enum(['answer', 'automatic', 'new', 'bounce', 'own', 'dropped', 'known'])
      .describe(
        'answer: stored with its record. automatic: stored with its record, and sent by a program. new: stored as a message to support. bounce: a report of bounced emails. own: sent by the portal. dropped: sent by a program, and not about a record. known: already stored.',
      ),
  }),
  errors: [
    'no-inbound-mails',
    'mail-not-signed',
    'mail-too-large',
    'mail-unreadable',
    'mails-of-sender',
    'mails-busy',
  ],
} as const satisfies Call;
