import * as PATHS from '../../../data/contract/paths.ts';
import { bodyField, request } from '../../data/request.ts';

export const ANSWERS_LABEL = 'Notify me on Telegram when you answer';

/** Identifies a submission, and may prove that the visitor owns the applicant's mailbox. */
export interface SubmissionKey {
  readonly referenceNumber: string;
  readonly email: string;
  /** The token from the link in an email to the applicant. */
  readonly proof?: string | undefined;
}

/** @returns null if the portal has no bot, the visitor is not allowed to get the link, or the request fails */
export async function readAnswersChatUrl(
  payload: SubmissionKey,
  signal?: AbortSignal,
): Promise<string | null> {
  try {
    const options = signal ? { payload, signal } : { payload };
    const url = bodyField(
      await (await request('POST', PATHS.createTelegramAnswerLink, options)).text(),
      'chatUrl',
    );
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}
