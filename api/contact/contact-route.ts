import type { RequestHandler } from 'express';
import { submitContactMessage } from '../../data/contract/contact.ts';
import type { ContactStore } from '../../data/store/contact-port.ts';
import { rowId } from '../../data/store/row-id.ts';
import { readForm } from '../applications/read-form.ts';
import { answerOf, checkWallet, submissionTerms } from '../applications/take-submission.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limited } from '../security/rate-limit.ts';

/** `POST /api/contact/submit`: anyone may write to support. */
export function contactRoute(options: {
  readonly store: ContactStore;
  readonly now: () => number;
  /** Counts the submissions of one address, of all kinds together. */
  readonly limit: RequestHandler;
}): ApiRoute {
  const { store, now, limit } = options;
  return {
    method: submitContactMessage.method,
    path: submitContactMessage.path,
    handle: limited(limit, async (request, response) => {
      const body = readForm(submitContactMessage.body, request.body);
      const walletAddress = body.walletAddress || null;
      checkWallet(walletAddress);
      const createdAt = now();
      const message = {
        id: rowId(createdAt),
        name: body.name,
        email: body.email,
        subject: body.subject || null,
        category: body.category || null,
        message: body.message,
        walletAddress,
        createdAt,
      };
      const terms = submissionTerms(request, body, { success: true }, createdAt);
      response.json(answerOf(await store.submitMessage(message, terms)));
    }),
  };
}
