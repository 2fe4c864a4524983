import { fileTypeFromBuffer } from 'file-type';
import { cleanImage } from './clean-image.ts';
import { RefusedDocumentError } from './document-errors.ts';
import { type DocumentType, harmlessFileName } from './file-name.ts';
import { pdfFault } from './pdf-fault.ts';

/** A file as it was sent. */
export interface SentFile {
  /** The sender's name of it. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** A document that is what it says: an image made anew, or a PDF that is nothing else besides. */
export interface CheckedDocument {
  readonly fileName: string;
  readonly mediaType: DocumentType;
  readonly bytes: Buffer;
}

const AGAIN = 'Save it once more as a PDF, JPEG or PNG, and choose it again.';

async function cleaned(bytes: Buffer, type: 'image/jpeg' | 'image/png', what: string): Promise<Buffer> {
  const image = await cleanImage(bytes, type);
  switch (image.kind) {
    case 'cleaned':
      return image.bytes;
    case 'too-detailed':
      throw new RefusedDocumentError(
        'document-too-detailed',
        `The ${what} has more than 50 million pixels. Make the picture smaller, and choose it again.`,
      );
    case 'damaged':
      throw new RefusedDocumentError(
        'document-damaged',
        `The ${what} is damaged and cannot be opened. ${AGAIN}`,
      );
  }
}

function checkPdf(bytes: Buffer, what: string): void {
  switch (pdfFault(bytes)) {
    case null:
      return;
    case 'encrypted':
      throw new RefusedDocumentError(
        'document-encrypted',
        `The ${what} is protected by a password, so that nobody could read it. Save it without one, and choose it again.`,
      );
    case 'polyglot':
      throw new RefusedDocumentError(
        'document-type',
        `The ${what} holds something else beside the PDF, such as a web page or an archive. ${AGAIN}`,
      );
    case 'damaged':
      throw new RefusedDocumentError(
        'document-damaged',
        `The ${what} is damaged and cannot be opened. ${AGAIN}`,
      );
  }
}

/**
 * The document in a file, known by its content, whatever its name says.
 * @param what the field in words, such as `passport copy`
 * @throws {RefusedDocumentError} where it is none that is taken
 */
export async function readDocument({ name, bytes }: SentFile, what: string): Promise<CheckedDocument> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  switch (found?.mime) {
    case 'application/pdf':
      checkPdf(bytes, what);
      return { fileName: harmlessFileName(name, found.mime), mediaType: found.mime, bytes };
    case 'image/jpeg':
    case 'image/png':
      return {
        fileName: harmlessFileName(name, found.mime),
        mediaType: found.mime,
        bytes: await cleaned(bytes, found.mime, what),
      };
    default:
      throw new RefusedDocumentError(
        'document-type',
        `The ${what} is no PDF, JPEG or PNG, by what it holds. ${AGAIN}`,
      );
  }
}
