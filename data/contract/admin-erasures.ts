import { z } from 'zod';
import { ERASED_PARTS, type ErasedPart } from '../model/erased-parts.ts';
import { SOLANA_ADDRESS_PATTERN } from '../model/form-text.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import { SUBMISSION_KINDS } from '../model/submission-status.ts';
import { adminEmail, ownPassword, PASSWORD_ERRORS } from './admin-session.ts';
import type { Call } from './call.ts';
import * as PATHS from './paths.ts';
import { count, moment } from './provenance.ts';

const REQUEST_ERROR =
  'Set request to a short id of the request such as MAIL-12: letters, digits and . - / # only.';

/** What is stored about a person. After an erasure: what was stored before it. */
const erasureFields = {
  success: z.literal(true),
  preview: z.boolean().describe('True if nothing was changed.'),
  records: z
    .array(
      z.object({
        referenceNumber: z.string().regex(REFERENCE_NUMBER_PATTERN),
        kind: z.enum(SUBMISSION_KINDS),
      }),
    )
    .describe('Oldest first.'),
  counts: z
    .object(Object.fromEntries(ERASED_PARTS.map((part) => [part, count])) as Record<ErasedPart, typeof count>)
    .describe('How many rows of each kind are stored about the person.'),
  outboxFiles: count.describe('Emails to the person in the outbox folder.'),
  otherWallets: z.array(z.string()).describe('Other wallets that the records name.'),
  kept: z
    .object({ liveCards: count, adminAccounts: count })
    .describe('What is kept: active cards of the wallet, and admin accounts with the email address.'),
  backups: z
    .object({
      newestAt: moment
        .nullable()
        .describe(
          'When the newest backup was made; null if there is none, or if their folder cannot be read.',
        ),
      keep: z
        .int()
        .min(1)
        .nullable()
        .describe(
          'How many of the newest backups are kept. Null on PostgreSQL, where the operator makes the backups.',
        ),
      note: z.string().describe('When the last copy is deleted, as a sentence.'),
    })
    .describe('Backups, which hold the data until they are replaced.'),
};

export const erasePerson = {
  method: 'POST',
  path: PATHS.erasePerson,
  summary:
    'Shows how much is stored about a person, or erases it. The person is identified by email address, wallet or both. Reference numbers and the audit trail are kept',
  access: 'owner',
  body: z
    .strictObject({
      email: z.optional(adminEmail).describe('Any address of the person’s mailbox.'),
      walletAddress: z
        .string({ error: 'Enter the wallet address.' })
        .regex(SOLANA_ADDRESS_PATTERN, 'Enter a Solana address in base58.')
        .optional()
        .describe('A wallet that the person has proved they control.'),
      request: z
        .string({ error: REQUEST_ERROR })
        .regex(/^[A-Za-z0-9][A-Za-z0-9.\-/#]{0,39}$/, REQUEST_ERROR)
        .describe('The id of the request. It is stored in the audit trail, so it must not name the person.'),
      preview: z.boolean({ error: 'Set preview to true for a preview, or to false to erase.' }),
      ownPassword: ownPassword.optional().describe('The caller’s own password, which an erasure requires.'),
    })
    .refine(({ preview, ownPassword }) => preview || ownPassword !== undefined, {
      error: 'Enter your password to erase.',
    })
    .refine(({ email, walletAddress }) => email !== undefined || walletAddress !== undefined, {
      error: 'Enter an email address, a wallet, or both.',
    }),
  response: z.object({
    ...erasureFields,
    proof: z
      .object({
        auditRecord: z.string(),
        erasedAt: moment,
        salt: z.string().describe('The salt of the digest. It is stored nowhere else.'),
        digest: z
          .string()
          .describe('SHA-256 in hex of the salt, the address and the wallet, each on its own line.'),
        text: z.string().describe('The proof, as text to send to the person.'),
      })
      .nullable()
      .describe('Null when nothing was changed.'),
  }),
  errors: PASSWORD_ERRORS,
} as const satisfies Call;
