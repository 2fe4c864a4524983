import { z } from 'zod';
import {
  ATTACHMENT_REFUSALS,
  type AttachmentRefusal,
  FILE_LIMITS,
  MESSAGE_KINDS,
  MESSAGE_LIMITS,
  REPLY_VARIABLES,
  type ReplyVariable,
} from '../model/conversation.ts';
import { DELIVERY_STATES } from '../model/delivery-states.ts';
import { REFERENCE_NUMBER_PATTERN } from '../model/reference-number.ts';
import { choice } from './admin-lists.ts';
import type { Call } from './call.ts';
import { textSchema } from './form-schema.ts';
import * as PATHS from './paths.ts';
import { count, moment, referenceNumber } from './provenance.ts';

const REFERENCE_ERROR = 'Set referenceNumber to the record’s reference number, such as BD-20260102-123456.';
const AFTER_ERROR = 'Set `after` to the id of the newest message that you saw, or to null if there was none.';
const reference = z.string({ error: REFERENCE_ERROR }).regex(REFERENCE_NUMBER_PATTERN, REFERENCE_ERROR);

const message = z.object({
  id: z.string(),
  kind: z
    .enum(MESSAGE_KINDS)
    .describe(
      '`reply` and `question` are from the team; after a `question`, the record waits for the person. `answer` is from the person. `automatic-answer` is from a program, such as an out-of-office notice.',
    ),
  at: moment,
  by: z
    .string()
    .nullable()
    .describe('The admin’s username, or the admin’s id if the account no longer exists. Null for an answer.'),
  sender: z
    .string()
    .nullable()
    .describe('The address, or the account in the messaging app, that an answer came from.'),
  isFromOther: z
    .boolean()
    .describe('Whether an answer came from an address other than the record’s. Anyone may have written it.'),
  subject: z.string(),
  text: z.string().describe('Plain text.'),
  attachments: z
    .array(
      z.object({
        fileName: z.string(),
        mediaType: z
          .string()
          .describe(
            'Determined from the content if the file is kept. Otherwise, it may be the type that the email states.',
          ),
        byteLength: count,
        fileId: z
          .string()
          .nullable()
          .describe(`The id for ${PATHS.conversationFile}; null if the file is not kept.`),
        refusal: z
          .enum(Object.keys(ATTACHMENT_REFUSALS) as [AttachmentRefusal, ...AttachmentRefusal[]])
          .nullable()
          .describe(
            'Why the file is not kept. Null if it is kept, and for emails that arrived before the portal kept files.',
          ),
      }),
    )
    .describe('The attached files.'),
  delivery: z
    .object({ id: z.string(), state: z.enum(DELIVERY_STATES), error: z.string().nullable() })
    .nullable()
    .describe('The email that carries a message from the team.'),
});

const VARIABLE_NAMES = Object.keys(REPLY_VARIABLES) as ReplyVariable[];

export const adminConversation = {
  method: 'GET',
  path: PATHS.adminConversation,
  summary: 'The messages between the team and the person who sent a record',
  access: 'viewer',
  query: z.strictObject({ reference }),
  response: z.object({
    referenceNumber,
    messages: z.array(message).describe('Oldest first.'),
    isWaiting: z.boolean().describe('Whether the record waits for the person’s answer.'),
    variables: z
      .object(
        Object.fromEntries(
          VARIABLE_NAMES.map((name) => [name, z.string().describe(REPLY_VARIABLES[name])]),
        ) as Record<ReplyVariable, z.ZodString>,
      )
      .describe('The values of the variables in reply templates.'),
    answersArrive: z
      .boolean()
      .describe('Whether the portal reads a mailbox, so that answers become messages.'),
  }),
  errors: ['unknown-record'],
} as const satisfies Call;

export const conversationFile = {
  method: 'GET',
  path: PATHS.conversationFile,
  summary: 'One file of a conversation. The audit trail records each view before the response is sent',
  access: 'reviewer',
  query: z.strictObject({
    id: z.uuid({ error: 'Set id to the fileId of one attachment.' }),
    as: choice('as', ['view', 'file']).describe('`view` (the default) shows the file; `file` downloads it.'),
  }),
  response: z
    .string()
    .meta({ format: 'binary' })
    .describe(
      'The content: as application/pdf, image/jpeg, image/png or text/plain, or as application/octet-stream.',
    ),
  mediaType: 'application/octet-stream',
  errors: ['unknown-document', 'document-unreadable'],
} as const satisfies Call;

/** An unfilled variable would confuse the recipient of the email. */
const isFilled = (text: string) => !VARIABLE_NAMES.some((name) => text.includes(`{${name}}`));
const UNFILLED_ERROR = 'Replace the variables in braces.';

const FILES_ERROR = `Set files to at most ${FILE_LIMITS.perReply} ids of files that you attached.`;

const replyFields = {
  referenceNumber: reference,
  subject: textSchema({ kind: 'line', label: 'Subject', maxLength: MESSAGE_LIMITS.subject }).check(
    z.refine(isFilled, UNFILLED_ERROR),
  ),
  text: textSchema({ kind: 'lines', label: 'Message', maxLength: MESSAGE_LIMITS.reply }).check(
    z.refine(isFilled, UNFILLED_ERROR),
  ),
};

export const sendReply = {
  method: 'POST',
  path: PATHS.sendReply,
  summary: 'Sends an email to the person who sent a record, and keeps it with the record',
  access: 'reviewer',
  body: z.strictObject({
    ...replyFields,
    kind: z
      .enum(['reply', 'question'], { error: 'Set kind to reply or question.' })
      .describe('After a question, the record waits for the person.'),
    after: z
      .string({ error: AFTER_ERROR })
      .nullable()
      .describe(
        'The id of the newest message that you saw, or null. The call fails if there is a newer one.',
      ),
    files: z
      .array(z.uuid(), { error: FILES_ERROR })
      .max(FILE_LIMITS.perReply, FILES_ERROR)
      .default([])
      .describe(
        `The ids of the files to send, as returned by ${PATHS.attachFile}. Their total size is at most ${FILE_LIMITS.bytesPerReply} bytes.`,
      ),
  }),
  response: z.object({ success: z.literal(true), message }),
  errors: ['unknown-record', 'conversation-changed', 'record-merged', 'file-missing', 'upload-too-large'],
} as const satisfies Call;

export const previewReply = {
  method: 'POST',
  path: PATHS.previewReply,
  summary: 'Renders a reply as it would be sent. Sends nothing',
  access: 'reviewer',
  body: z.strictObject(replyFields),
  response: z.object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    to: z.string().describe('The address that the email goes to.'),
    replyTo: z
      .string()
      .nullable()
      .describe('The address that answers go to; null if they go to the sender’s address.'),
  }),
  errors: ['unknown-record'],
} as const satisfies Call;

export const attachFile = {
  method: 'POST',
  path: PATHS.attachFile,
  summary: 'Stores a file for a reply. If it is not sent with a reply, it is deleted after a day',
  access: 'reviewer',
  body: z.strictObject({ referenceNumber: reference }),
  files: { file: 'file' },
  response: z.object({
    success: z.literal(true),
    file: z.object({
      id: z.string().describe(`Pass it in \`files\` to ${PATHS.sendReply}.`),
      fileName: z.string().describe('Without unsafe characters, and with the extension of its type.'),
      mediaType: z
        .string()
        .describe('Determined from the content: PDF, JPEG, PNG or plain text. WebP pictures become JPEG.'),
      byteLength: count,
    }),
  }),
  errors: ['unknown-record', 'too-many-files'],
} as const satisfies Call;

export const detachFile = {
  method: 'POST',
  path: PATHS.detachFile,
  summary: 'Deletes a file that you attached and did not send',
  access: 'reviewer',
  body: z.strictObject({ id: z.uuid({ error: 'Set id to the id of a file that you attached.' }) }),
  response: z.object({ success: z.literal(true) }),
  errors: ['unknown-document'],
} as const satisfies Call;
