import { ApiError } from '../errors.ts';

/** The assistant's book is made with the site, which this server does not have. */
export class ChatNotBuiltError extends ApiError {
  override readonly name = 'ChatNotBuiltError';
  readonly status = 503;
  readonly code = 'chat-not-built';
  constructor() {
    super(
      'The assistant answers from the built pages, and this server has none. Start the portal with npm start.',
    );
  }
}
