import { ApiError } from '../errors.ts';

/** A document is none that is taken. The words name the field it was sent in. */
export class RefusedDocumentError extends ApiError {
  override readonly name = 'RefusedDocumentError';
  readonly status = 422;
  readonly code: 'document-type' | 'document-encrypted' | 'document-damaged' | 'document-too-detailed';
  constructor(code: RefusedDocumentError['code'], words: string, options?: ErrorOptions) {
    super(words, {}, options);
    this.code = code;
  }
}
