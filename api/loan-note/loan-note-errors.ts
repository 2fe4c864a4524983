import { ApiError } from '../errors.ts';

/** The document is made with the site, which this server does not have. */
export class DocumentNotBuiltError extends ApiError {
  override readonly name = 'DocumentNotBuiltError';
  readonly status = 503;
  readonly code = 'document-not-built';
  constructor() {
    super(
      'The document is made when the site is built, and this server has no built site. Start the portal with npm start.',
    );
  }
}
