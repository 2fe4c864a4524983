import { cleanLine } from '../../data/model/form-text.ts';
import { HEIC_REMEDY } from '../../data/model/forms/loan-form.ts';
import { ApiError } from '../errors.ts';
import { cleanImage, type ImageType } from './clean-image.ts';
import { findActiveContent } from './pdf-active-content.ts';
import { pdfError } from './pdf-error.ts';

/** In characters, including the extension. */
const MAX_NAME_LENGTH = 100;
type DocumentType = 'application/pdf' | 'image/jpeg' | 'image/png';
const EXTENSIONS: Readonly<Record<DocumentType | 'image/heic' | 'text/plain', string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/heic': 'heic',
  'text/plain': 'txt',
};

export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A re-encoded image, or a PDF that has no active content and is not also a valid file of another type. */
interface CheckedDocument {
  readonly fileName: string;
  readonly mediaType: DocumentType;
  readonly bytes: Buffer;
}

async function checkAndCleanImage(bytes: Buffer, type: ImageType, document: string): Promise<Buffer> {
  const image = await cleanImage(bytes, type);
  switch (image.kind) {
    case 'cleaned':
      return image.bytes;
    case 'too-detailed':
      throw new ApiError('document-too-detailed', { document });
    case 'damaged':
      throw new ApiError('document-damaged', { document });
  }
}

async function checkPdf(bytes: Buffer, document: string): Promise<void> {
  switch (pdfError(bytes)) {
    case null:
      break;
    case 'encrypted':
      throw new ApiError('document-encrypted', { document });
    case 'polyglot':
      throw new ApiError('document-type', {
        document,
        text: `The ${document} contains something other than a PDF, such as a web page or an archive. Export it again as a PDF and upload it.`,
      });
    case 'damaged':
      throw new ApiError('document-damaged', { document });
  }
  const content = await findActiveContent(bytes);
  if (content === 'unreadable') throw new ApiError('document-damaged', { document });
  if (content !== null) throw new ApiError('document-active', { document, content });
}

/**
 * Checks a document, and re-encodes it if it is an image. Its type is determined by its content, not by its name.
 * @param document the name in error messages, such as `passport copy`
 * @throws {ApiError} `document-type`, `document-encrypted`, `document-active`, `document-damaged`, `document-too-detailed`
 */
export async function readDocument({ name, bytes }: SentFile, document: string): Promise<CheckedDocument> {
  const { fileTypeFromBuffer } = await import('file-type');
  const detectedType = await fileTypeFromBuffer(bytes).catch(() => undefined);
  switch (detectedType?.mime) {
    case 'application/pdf':
      await checkPdf(bytes, document);
      return { fileName: harmlessFileName(name, detectedType.mime), mediaType: detectedType.mime, bytes };
    case 'image/jpeg':
    case 'image/png':
    case 'image/webp': {
      const mediaType = detectedType.mime === 'image/webp' ? 'image/jpeg' : detectedType.mime;
      return {
        fileName: harmlessFileName(name, mediaType),
        mediaType,
        bytes: await checkAndCleanImage(bytes, detectedType.mime, document),
      };
    }
    // The prebuilt sharp cannot decode HEIC, because the format is patented.
    case 'image/heic':
    case 'image/heif':
      throw new ApiError('document-type', {
        document,
        text: `The ${document} is a HEIC picture, which the portal cannot read. ${HEIC_REMEDY}`,
      });
    default:
      throw new ApiError('document-type', { document });
  }
}

/** Control, direction and zero-width characters, surrogates, and characters that operating systems reserve. */
const RESERVED_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}<>:"|?*\\/%&;`$]/gu;

/**
 * Keeps only the part after the last slash or backslash. Removes characters that have a special meaning in file systems, pages or
 * headers. Sets the extension for the type.
 */
export function harmlessFileName(clientName: string, type: keyof typeof EXTENSIONS): string {
  const baseName = clientName.split(/[\\/]/).at(-1) ?? '';
  const clean = cleanLine(baseName.replaceAll(RESERVED_CHARACTERS, ' ')).replaceAll(/\s+/g, ' ');
  const stem = clean.replace(/\.[^.]{1,10}$/, '').replaceAll(/^[.\s-]+|(?<![.\s])[.\s]+$/g, '');
  const extension = EXTENSIONS[type];
  const short = Array.from(stem)
    .slice(0, MAX_NAME_LENGTH - extension.length - 1)
    .join('')
    .trimEnd();
  return `${short === '' ? 'document' : short}.${extension}`;
}
