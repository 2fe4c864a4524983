import { type AttachmentRefusal, FILE_LIMITS, type MessageKind } from '../../model/conversation.ts';
import type { ContactDecision, SubmissionKind } from '../../model/submission-status.ts';
import type { AuditRecord } from '../audit-port.ts';
import type {
  MessageAttachment,
  MessageFile,
  NewIncomingMessage,
  NewReply,
  RecordMessage,
  StoredFile,
} from '../conversation-port.ts';
import type { Actor } from '../record-port.ts';
import { rowId } from '../row-id.ts';
import type { DocumentQuota } from '../submission-port.ts';
import { exceededQuota, type QueuedDelivery } from './received-submission.ts';
import { toAuditRecord } from './record-decisions.ts';

export interface MessageRow extends Omit<RecordMessage, 'by' | 'attachments'> {
  readonly adminId: string | null;
  /** As JSON. */
  readonly attachments: string;
}

export type MessageRowWithAuthor = Omit<MessageRow, 'adminId'> & Pick<RecordMessage, 'by'>;

interface MessageWrites {
  readonly row: MessageRow;
  readonly deliveries: readonly QueuedDelivery[];
  readonly audit: AuditRecord;
}

export const toMessage = ({ attachments, ...message }: MessageRowWithAuthor): RecordMessage => ({
  ...message,
  // Attachments that were stored before the portal kept files have neither `fileId` nor `refusal`.
  attachments: (JSON.parse(attachments) as readonly MessageAttachment[]).map((attachment) => ({
    ...attachment,
    fileId: attachment.fileId ?? null,
    refusal: attachment.refusal ?? null,
  })),
});

export const markDeletedFiles = (message: RecordMessage, keptFileIds: readonly string[]): RecordMessage => ({
  ...message,
  attachments: message.attachments.map((attachment) =>
    attachment.fileId === null || keptFileIds.includes(attachment.fileId)
      ? attachment
      : { ...attachment, fileId: null, refusal: 'deleted' },
  ),
});

/**
 * The files of an email that fit within the limits, and all of the email's attachments. If a file does not fit, its attachment
 * says why.
 */
export interface FittingFiles extends Pick<NewIncomingMessage, 'attachments' | 'files'> {
  /** The total size of these files in bytes, which counts toward the quotas. */
  readonly bytes: number;
}

const QUOTA_REFUSALS: Readonly<Record<DocumentQuota['scope'], AttachmentRefusal>> = {
  network: 'sender-full',
  'email address': 'sender-full',
  portal: 'portal-full',
};

/**
 * Chooses the files that fit within the limits, in the order of the attachments.
 * @param stored the number and size of the files that the record already has
 * @param usedBytes returns the bytes that already count toward a quota
 */
export function fittingFiles(
  { attachments, files, quotas }: Pick<NewIncomingMessage, 'attachments' | 'files' | 'quotas'>,
  stored: { readonly files: number; readonly bytes: number },
  usedBytes: (subject: string) => number,
): FittingFiles {
  const filesById = new Map(files.map((file) => [file.id, file]));
  const keptFiles: MessageFile[] = [];
  let bytes = 0;
  const refusalOf = (size: number): AttachmentRefusal | null => {
    const isFull =
      stored.files + keptFiles.length >= FILE_LIMITS.perRecord ||
      stored.bytes + bytes + size > FILE_LIMITS.bytesPerRecord;
    if (isFull) return 'record-full';
    const fullQuota = exceededQuota(quotas, bytes + size, usedBytes);
    return fullQuota && QUOTA_REFUSALS[fullQuota.scope];
  };
  const markedAttachments = attachments.map((attachment) => {
    const file = attachment.fileId === null ? undefined : filesById.get(attachment.fileId);
    if (file === undefined) return attachment;
    const refusal = refusalOf(file.content.length);
    if (refusal !== null) return { ...attachment, fileId: null, refusal };
    keptFiles.push(file);
    bytes += file.content.length;
    return attachment;
  });
  return { attachments: markedAttachments, files: keptFiles, bytes };
}

export type FileFacts = Pick<StoredFile, 'id' | 'fileName' | 'mediaType' | 'byteLength'>;

/**
 * The attachments of a reply, in the order of `ids`, or why the reply cannot have them.
 * @param stored the files with these ids that the admin attached to the record but has not sent yet
 */
export function replyAttachments(
  ids: readonly string[],
  stored: readonly FileFacts[],
): readonly MessageAttachment[] | 'file-missing' | 'too-large' {
  const matches = [...new Set(ids)].map((id) => stored.find((file) => file.id === id));
  const files = matches.filter((file) => file !== undefined);
  if (files.length < matches.length) return 'file-missing';
  const bytes = files.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (files.length > FILE_LIMITS.perReply || bytes > FILE_LIMITS.bytesPerReply) return 'too-large';
  return files.map(({ id, ...facts }) => ({ ...facts, fileId: id, refusal: null }));
}

export const messageEvent = (kind: SubmissionKind, action: 'replied' | 'answered', id: string): string =>
  `${kind}.${action}:${id}`;

/**
 * SQL condition: a loan application's file `f` still has to be sent, because its reply is queued, or because an admin has
 * attached the file but has not sent the reply yet.
 * @param schema the prefix of table names
 */
export const isFileToSendSql = (schema: string): string => `(f."unsentBy" is not null or exists (
  select 1 from ${schema}record_messages m join ${schema}deliveries d
    on d."referenceNumber" = m."referenceNumber" and d.event = '${messageEvent('loan-application', 'replied', '')}' || m.id
  where m."referenceNumber" = f."referenceNumber" and m.attachments like '%"fileId":"' || f.id || '"%'
    and d.state in ('waiting', 'leased')))`;

/** The status of a contact message after each kind of message in its conversation; null if the status does not change. */
export const CONTACT_STATUS_AFTER: Readonly<Record<MessageKind, ContactDecision | null>> = {
  reply: 'answered',
  question: 'waiting',
  answer: 'open',
  'automatic-answer': null,
};

export function replyRows(
  record: { readonly kind: SubmissionKind; readonly email: string },
  { referenceNumber, kind, subject, text }: NewReply,
  actor: Actor,
  attachments: readonly MessageAttachment[],
): MessageWrites {
  const { adminId, at } = actor;
  const id = rowId(at);
  const mailId = null;
  const row = { id, referenceNumber, kind, at, adminId, sender: null, subject, text, mailId };
  const event = messageEvent(record.kind, 'replied', id);
  const recipient = record.email;
  return {
    row: { ...row, attachments: JSON.stringify(attachments) },
    deliveries: [{ event, referenceNumber, channel: 'mail', audience: 'applicant', recipient }],
    audit: toAuditRecord(kind === 'question' ? 'record.information-requested' : 'record.replied', actor, {
      referenceNumber,
      message: id,
      files: attachments.length,
    }),
  };
}

export function incomingRows(
  recordKind: SubmissionKind,
  { notifies, attachments: _, files: __, quotas: ___, ...message }: NewIncomingMessage,
  { attachments, files }: FittingFiles,
): MessageWrites {
  const { referenceNumber, at } = message;
  const id = rowId(at);
  const event = messageEvent(recordKind, 'answered', id);
  const notice = { event, referenceNumber, audience: 'team', recipient: null } as const;
  return {
    row: { ...message, id, adminId: null, attachments: JSON.stringify(attachments) },
    deliveries: notifies
      ? [
          { ...notice, channel: 'mail' },
          { ...notice, channel: 'telegram' },
        ]
      : [],
    audit: {
      id: rowId(at),
      at,
      actor: 'visitor',
      action: 'record.answered',
      details: {
        referenceNumber,
        message: id,
        isAutomatic: message.kind === 'automatic-answer',
        files: files.length,
      },
    },
  };
}
