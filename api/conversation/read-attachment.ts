import { type AttachmentRefusal, FILE_LIMITS } from '../../data/model/conversation.ts';
import type { MessageAttachment, MessageFile } from '../../data/store/conversation-port.ts';
import { rowId } from '../../data/store/row-id.ts';
import type { MasterKey } from '../documents/master-key.ts';
import { harmlessFileName, readDocument, type SentFile } from '../documents/read-document.ts';
import { sealDocument } from '../documents/sealed-document.ts';
import { isApiError } from '../errors.ts';
import type { InboundAttachment } from './read-mail.ts';

interface CheckedFile {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Whether a file is UTF-8 text without control characters other than white space. */
function isPlainText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
}

const REFUSAL_OF_ERROR = {
  'document-type': 'type',
  'document-encrypted': 'encrypted',
  'document-active': 'active',
  'document-damaged': 'damaged',
  'document-too-detailed': 'too-detailed',
} as const;

async function typeOf(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime;
}

/**
 * Checks that a file's content is a PDF, a picture or plain text. A picture is re-encoded.
 * @throws {ApiError} `document-type`, `document-encrypted`, `document-active`, `document-damaged`, `document-too-detailed`
 */
export async function readMessageFile(sent: SentFile): Promise<CheckedFile> {
  const { name, bytes } = sent;
  const detectedType = await typeOf(bytes);
  const isText = detectedType === undefined || /^text\/|^application\/xml$/.test(detectedType);
  if (isText && isPlainText(bytes)) {
    return { fileName: harmlessFileName(name, 'text/plain'), mediaType: 'text/plain', bytes };
  }
  return readDocument(sent, 'file');
}

/** Returns the file to store, or why it is not stored. A HEIC picture is stored unchanged, and can only be downloaded. */
async function checkAttachment({
  fileName: name,
  mediaType: statedType,
  content,
}: InboundAttachment): Promise<CheckedFile | { refusal: AttachmentRefusal; mediaType: string }> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const mediaType = (await typeOf(bytes)) ?? statedType;
  if (mediaType === 'image/heic' || mediaType === 'image/heif') {
    return { fileName: harmlessFileName(name, 'image/heic'), mediaType: 'image/heic', bytes };
  }
  try {
    return await readMessageFile({ name, bytes });
  } catch (error) {
    const codes = Object.keys(REFUSAL_OF_ERROR) as (keyof typeof REFUSAL_OF_ERROR)[];
    if (!isApiError(error, ...codes)) throw error;
    return { refusal: REFUSAL_OF_ERROR[error.code], mediaType };
  }
}

export interface AttachmentContext {
  readonly masterKey: MasterKey;
  readonly isDiskSpaceLow: () => boolean;
}

/** @param at when the email was received (Unix ms) */
export async function readAttachments(
  inboundAttachments: readonly InboundAttachment[],
  { masterKey, isDiskSpaceLow }: AttachmentContext,
  at: number,
): Promise<{ readonly attachments: readonly MessageAttachment[]; readonly files: readonly MessageFile[] }> {
  const attachments: MessageAttachment[] = [];
  const files: MessageFile[] = [];
  for (const [index, attachment] of inboundAttachments.entries()) {
    const { fileName, mediaType, content, isCut } = attachment;
    const byteLength = content.length;
    const refuse = (refusal: AttachmentRefusal, type = mediaType) =>
      attachments.push({ fileName, mediaType: type, byteLength, fileId: null, refusal });
    if (isCut) refuse('incomplete');
    else if (byteLength > FILE_LIMITS.bytes) refuse('too-large');
    else if (isDiskSpaceLow()) refuse('no-space');
    else if (index >= FILE_LIMITS.perMail) refuse('too-many');
    else {
      const checked = await checkAttachment(attachment);
      if ('refusal' in checked) {
        refuse(checked.refusal, checked.mediaType);
        continue;
      }
      const { bytes, ...metadata } = checked;
      const id = rowId(at);
      const file = { ...metadata, ...sealDocument(masterKey, id, bytes), id };
      files.push(file);
      attachments.push({ ...metadata, byteLength: file.byteLength, fileId: id, refusal: null });
    }
  }
  return { attachments, files };
}

export const refusedAttachments = (
  inboundAttachments: readonly InboundAttachment[],
  refusal: AttachmentRefusal,
): readonly MessageAttachment[] =>
  inboundAttachments.map(({ fileName, mediaType, content }) => ({
    fileName,
    mediaType,
    byteLength: content.length,
    fileId: null,
    refusal,
  }));
