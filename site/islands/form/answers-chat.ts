import * as PATHS from '../../../data/contract/paths.ts';
import { bodyField, request } from '../../data/request.ts';

export const ANSWERS_LABEL = 'Notify me on Telegram when you answer';

/**
 * Reads a link to a chat that gets a message about each answer.
 * @returns null if the portal has no bot, or the link cannot be read
 */
export async function readAnswersChatUrl(
  payload: { readonly referenceNumber: string; readonly email: string },
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
