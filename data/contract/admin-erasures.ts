import { z } from 'zod';
import { ERASED_PARTS } from '../model/erased-parts.ts';
import { REFERENCE_NUMBER } from '../model/reference-number.ts';
import { SUBMISSION_KINDS } from '../model/submission-status.ts';
import { ADMIN_ERRORS, adminEmail } from './admin-session.ts';
import type { Call } from './call.ts';
import { ADDRESS } from './provenance.ts';

const NOBODY = 'Give the mail address, the wallet, or both.';
const REQUEST =
  'Name the request by its number or a short sign such as MAIL-12: letters, digits and . - / # alone.';

const count = z.int().min(0);

/** What is found of a person, and what becomes of it. */
const found = {
  success: z.literal(true),
  preview: z.boolean().describe('Whether nothing was changed.'),
  records: z
    .array(z.object({ referenceNumber: z.string().regex(REFERENCE_NUMBER), kind: z.enum(SUBMISSION_KINDS) }))
    .describe('Oldest first.'),
  counts: z
    .object(
      Object.fromEntries(ERASED_PARTS.map((part) => [part, count])) as Record<
        (typeof ERASED_PARTS)[number],
        typeof count
      >,
    )
    .describe('Rows, by what they are of.'),
  outboxFiles: count.describe('Mails of the person that lie as files in the outbox.'),
  otherWallets: z.array(z.string()).describe('Wallets that the records name beside the one given.'),
  kept: z
    .object({ liveCards: count, adminAccounts: count })
    .describe(
      'What is left alone: cards of the wallet that can be used, and accounts of the team with the mailbox.',
    ),
  backups: z
    .object({
      newestAt: z.iso
        .datetime()
        .nullable()
        .describe('When the newest backup was made; null where there is none.'),
      keep: z.int().min(1).describe('Older ones are removed once there are so many newer ones.'),
      words: z.string().describe('When the last copy is gone, for a person.'),
    })
    .describe('Backups, which hold the data until they are replaced.'),
};

export const erasePerson = {
  method: 'POST',
  path: '/api/admin/erasures',
  summary:
    'Tells what is held of a person, or erases it: the records of a mailbox or a wallet with all that hangs on them. Reference numbers and the audit trail stay',
  access: 'owner',
  body: z
    .strictObject({
      email: adminEmail.optional().describe('Any spelling of the mailbox.'),
      walletAddress: z
        .string({ error: 'Give the address of the wallet.' })
        .regex(ADDRESS, 'Give the wallet as a Solana address in base58.')
        .optional()
        .describe('A wallet that was proved to be the person’s.'),
      request: z
        .string({ error: REQUEST })
        .regex(/^[A-Za-z0-9][A-Za-z0-9.\-/#]{0,39}$/, REQUEST)
        .describe('By what the request is known. It goes into the audit trail, so it names nobody.'),
      preview: z.boolean({ error: 'Say in preview whether to tell alone (true) or to erase (false).' }),
    })
    .refine(({ email, walletAddress }) => email !== undefined || walletAddress !== undefined, {
      error: NOBODY,
    }),
  response: z.object({
    ...found,
    proof: z
      .object({
        auditRecord: z.string(),
        erasedAt: z.iso.datetime(),
        salt: z.string().describe('Kept nowhere but in this answer.'),
        digest: z
          .string()
          .describe('SHA-256, in hex, over the salt, the mailbox and the wallet, each on a line of its own.'),
        text: z.string().describe('The proof in words, to be sent to the person.'),
      })
      .nullable()
      .describe('Null where nothing was changed.'),
  }),
  errors: { ...ADMIN_ERRORS, 400: 'A field is missing or wrong, or neither mailbox nor wallet is given.' },
  live: false,
} as const satisfies Call;
