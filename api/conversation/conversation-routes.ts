import {
  adminConversation,
  attachFile,
  detachFile,
  previewReply,
  sendReply,
} from '../../data/contract/admin-conversation.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import { FILE_LIMITS, isFromChat, type ReplyVariable } from '../../data/model/conversation.ts';
import { mailboxOf } from '../../data/model/mail-address.ts';
import type { SubmissionKind } from '../../data/model/submission-status.ts';
import type { RecordMessage } from '../../data/store/conversation-port.ts';
import type { FullRecord } from '../../data/store/record-port.ts';
import { messageEvent } from '../../data/store/rules/conversation.ts';
import type { SignedInAdmin } from '../admin/authorize-admin.ts';
import { adminJsonRoute, adminRoute } from '../admin/authorize-admin.ts';
import { iso } from '../admin/records/wire-rows.ts';
import type { ApiRoute } from '../call-router.ts';
import { readSpooledFile, readUpload, type UploadForm } from '../documents/read-upload.ts';
import { UploadSpool } from '../documents/upload-spool.ts';
import { ApiError } from '../errors.ts';
import { leaveBody } from '../json-body.ts';
import type { PortalContext } from '../portal-context.ts';
import { readBody } from '../request-input.ts';
import { clientNetwork } from '../security/rate-limit.ts';
import { readMessageFile } from './read-attachment.ts';

type WireMessage = ResponseOf<typeof adminConversation>['messages'][number];

const KIND_LABELS: Readonly<Record<SubmissionKind, string>> = {
  'card-application': 'card application',
  'verification-request': 'verification request',
  'contact-message': 'message to support',
  'loan-application': 'loan note application',
};

/** How long (ms) an applicant may take to answer. The template variable `deadline` shows the last day. */
const ANSWER_MS = 7 * 86_400_000;
const DATE_FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

function tierOf(fullRecord: FullRecord): string | null {
  switch (fullRecord.kind) {
    case 'card-application':
      return fullRecord.record.checked?.tier ?? null;
    case 'verification-request':
      return fullRecord.whitelisting?.tier ?? null;
    default:
      return null;
  }
}

const variablesOf = (
  fullRecord: FullRecord,
  { username }: SignedInAdmin,
  now: number,
): Readonly<Record<ReplyVariable, string>> => {
  const tier = tierOf(fullRecord);
  return {
    name: 'name' in fullRecord.record ? fullRecord.record.name : 'there',
    reference: fullRecord.record.referenceNumber,
    kind: KIND_LABELS[fullRecord.kind],
    tier: tier === null || tier === 'None' ? 'your tier' : tier,
    deadline: DATE_FORMAT.format(now + ANSWER_MS),
    admin: username,
  };
};

function wireMessage(message: RecordMessage, { kind, record, deliveries }: FullRecord): WireMessage {
  const { id, at, by, sender, subject, text, attachments, mailId } = message;
  const event = messageEvent(kind, 'replied', id);
  const mail = deliveries.find((delivery) => delivery.event === event);
  const error = mail?.attempts.findLast((attempt) => attempt.error !== null)?.error ?? null;
  return {
    id,
    kind: message.kind,
    at: iso(at),
    by,
    sender,
    isFromOther: sender !== null && !isFromChat(mailId) && mailboxOf(sender) !== mailboxOf(record.email),
    subject,
    text,
    attachments: attachments.map((attachment) => ({ ...attachment })),
    delivery: mail ? { id: mail.id, state: mail.state, error: mail.state === 'sent' ? null : error } : null,
  };
}

/** The maximum disk space, in bytes, for all files that are being uploaded. */
const MAX_SPOOL_BYTES = 200_000_000;
const UPLOAD: UploadForm = {
  files: attachFile.files,
  fileBytes: FILE_LIMITS.bytesPerReply,
  textBytes: 4_000,
};

/** `POST /api/admin/conversation/attach`: attaches a file to a reply. The file is encrypted before it is written to the disk. */
function attachFileRoute({ store, authorize, masterKey, now, ...context }: PortalContext): ApiRoute {
  const { uploadFolder: folder, isDiskSpaceLow, rateLimits } = context;
  const spool = new UploadSpool({
    folder,
    maxBytes: MAX_SPOOL_BYTES,
    maxPerNetwork: rateLimits['uploads-of-network'],
    isDiskSpaceLow,
  });
  const options = { authorize, limit: 'admin-uploads', bodyParser: leaveBody } as const;
  return adminRoute(attachFile, options, async ({ id: adminId }, request, response) => {
    const spooledUpload = spool.start(clientNetwork(request));
    try {
      const { fields, files } = await readUpload(request, UPLOAD, { master: masterKey, spooledUpload });
      const { referenceNumber } = readBody(attachFile.body, fields);
      const spooled = files.get('file');
      if (!spooled)
        throw new ApiError('invalid-body', { text: 'The file is missing or empty. Attach another one.' });
      const file = await readSpooledFile(spooled, masterKey, readMessageFile);
      const outcome = await store.conversations.attach({ ...file, referenceNumber }, { adminId, at: now() });
      if (outcome !== 'attached') {
        throw new ApiError(outcome === 'full' ? 'too-many-files' : 'unknown-record');
      }
      const { id, fileName, mediaType, byteLength } = file;
      const attached: ResponseOf<typeof attachFile> = {
        success: true,
        file: { id, fileName, mediaType, byteLength },
      };
      response.json(attached);
    } finally {
      await spooledUpload.release();
    }
  });
}

export function conversationRoutes(context: PortalContext): readonly ApiRoute[] {
  const { store, authorize, now, replies } = context;
  const { records, conversations } = store;
  const requireRecord = async (referenceNumber: string): Promise<FullRecord> => {
    const fullRecord = await records.record(referenceNumber);
    if (!fullRecord) throw new ApiError('unknown-record');
    return fullRecord;
  };
  return [
    adminJsonRoute(adminConversation, { authorize }, async (admin, { reference }) => {
      const fullRecord = await requireRecord(reference);
      const messages = await conversations.messagesOf(reference);
      // The messages of a merged record are shown with that record's deliveries and email address.
      const mergedReferences = new Set(
        messages.map((one) => one.referenceNumber).filter((one) => one !== reference),
      );
      const mergedRecords = await Promise.all([...mergedReferences].map((one) => records.record(one)));
      const recordOf = ({ referenceNumber }: RecordMessage) =>
        mergedRecords.find((one) => one?.record.referenceNumber === referenceNumber) ?? fullRecord;
      return {
        referenceNumber: reference,
        messages: messages.map((message) => wireMessage(message, recordOf(message))),
        isWaiting: fullRecord.record.isWaiting,
        variables: variablesOf(fullRecord, admin, now()),
        answersArrive: replies.answersArrive,
      };
    }),
    adminJsonRoute(
      sendReply,
      { authorize, limit: 'admin-replies' },
      async ({ id: adminId, address }, body) => {
        const actor = { adminId, address, at: now() };
        const outcome = await conversations.reply(body, actor);
        switch (outcome.kind) {
          case 'unknown':
            throw new ApiError('unknown-record');
          case 'merged':
            throw new ApiError('record-merged', { reference: body.referenceNumber });
          case 'changed':
            throw new ApiError('conversation-changed');
          case 'file-missing':
            throw new ApiError('file-missing');
          case 'too-large':
            throw new ApiError('upload-too-large', {
              part: 'message',
              limit: FILE_LIMITS.bytesPerReply / 1e6,
            });
          case 'sent':
            break;
        }
        const fullRecord = await requireRecord(body.referenceNumber);
        return { success: true, message: wireMessage(outcome.message, fullRecord) };
      },
    ),
    attachFileRoute(context),
    adminJsonRoute(detachFile, { authorize, limit: 'admin-uploads' }, async ({ id: adminId }, { id }) => {
      if (!(await conversations.detach(id, adminId))) throw new ApiError('unknown-document');
      return { success: true };
    }),
    adminJsonRoute(previewReply, { authorize, limit: 'admin-searches' }, async (_admin, body) => {
      const { record } = await requireRecord(body.referenceNumber);
      const { subject, html, text, replyTo } = await replies.compose(body);
      return { subject, html, text, to: record.email, replyTo: replyTo?.address ?? null };
    }),
  ];
}
