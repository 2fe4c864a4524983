import { z } from 'zod';
import { FIELD_WORDS } from '../model/application-rules.ts';
import { CONTACT_FIELDS_MISSING, LONGEST_IN_CONTACT } from '../model/contact-rules.ts';
import { isMailAddress, LONGEST_MAIL_ADDRESS } from '../model/form-text.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import { CONTACT_CATEGORIES } from '../model/submission-status.ts';
import { IDEMPOTENCY_HEADER } from './applications.ts';
import type { Call } from './call.ts';
import { line, lines, optionalLine } from './form-fields.ts';
import { ADDRESS } from './provenance.ts';

export const submitContactMessage = {
  method: 'POST',
  path: '/api/contact/submit',
  summary: 'Sends a message to support',
  body: z.strictObject({
    name: line({ what: 'the name', atMost: LONGEST_IN_CONTACT.name, words: CONTACT_FIELDS_MISSING }),
    email: line({
      what: 'the email address',
      atMost: LONGEST_MAIL_ADDRESS,
      words: CONTACT_FIELDS_MISSING,
    }).refine((email) => email === '' || isMailAddress(email), { error: FIELD_WORDS.email }),
    subject: optionalLine({ what: 'the subject', atMost: LONGEST_IN_CONTACT.subject }),
    category: z
      .enum([...CONTACT_CATEGORIES, ''], { error: 'Choose a category of the list, or none.' })
      .nullish(),
    message: lines({
      what: 'the message',
      atMost: LONGEST_IN_CONTACT.message,
      words: CONTACT_FIELDS_MISSING,
    }),
    walletAddress: optionalLine({ what: 'the wallet address', atMost: LONGEST_IN_CONTACT.walletAddress })
      .refine((address) => !address || ADDRESS.test(address), { error: FIELD_WORDS.walletAddress })
      .describe('A Solana address in base58, or nothing.'),
    website: z.string().max(300).optional().describe('Leave it out, or empty.'),
  }),
  response: z.object({
    success: z.literal(true),
    referenceNumber: z.string().regex(REFERENCE_NUMBER).describe('BD-YYYYMMDD-NNNNNN.'),
  }),
  errors: {
    400: 'A field is missing, unknown or no value that the form takes; nothing was stored.',
    403: 'A page of another site sent it.',
    413: 'The body is too large.',
    422: `The ${IDEMPOTENCY_HEADER} was used for another body.`,
    429: 'Too many submissions from this address, or with this mail address.',
  },
  live: false,
} as const satisfies Call;
