import { ApiError } from '../errors.ts';

/** The body of a form with files is not one. */
export class NotMultipartError extends ApiError {
  override readonly name = 'NotMultipartError';
  readonly status = 415;
  readonly code = 'not-multipart';
  constructor(options?: ErrorOptions) {
    super('Send this form as multipart/form-data, as a page with file fields does.', {}, options);
  }
}

/** The parts of a form with files are not whole, not what the form has, or sent twice. */
export class MalformedUploadError extends ApiError {
  override readonly name = 'MalformedUploadError';
  readonly status = 400;
  readonly code = 'malformed-upload';
}

/** A file, or the form in all, is larger than it may be. */
export class UploadTooLargeError extends ApiError {
  override readonly name = 'UploadTooLargeError';
  readonly status = 413;
  readonly code = 'upload-too-large';
}

const RETRY_SECONDS = 20;

/** As many files are being sent as the portal has room for. */
export class UploadsFullError extends ApiError {
  override readonly name = 'UploadsFullError';
  readonly status = 503;
  readonly code = 'uploads-full';
  constructor() {
    super(
      'Too many documents are being sent at the moment. Try again in a minute; nothing of yours was kept.',
      {
        'Retry-After': String(RETRY_SECONDS),
      },
    );
  }
}

/** An address sends several forms with files at once. */
export class TooManyUploadsError extends ApiError {
  override readonly name = 'TooManyUploadsError';
  readonly status = 429;
  readonly code = 'too-many-uploads';
  constructor() {
    super(
      'Several forms with documents are being sent from this address already. Wait until they are through.',
      {
        'Retry-After': String(RETRY_SECONDS),
      },
    );
  }
}
