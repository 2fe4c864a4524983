import { TelegramError } from 'telegraf';
import { withoutAddresses } from '../masked-recipient.ts';
import type { SendOutcome } from '../send-outcome.ts';

/** The request never left: no message had a part in that. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Of a bad request: that it is about the chat which the configuration names, not about the message. */
const ABOUT_CHAT = /chat|peer|group|channel|bot/i;

function answered(code: number, description: string, retryAfter: number | undefined): SendOutcome {
  const fault = { code: String(code), error: withoutAddresses(description) };
  if (code === 429) {
    const wait = retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 };
    return { kind: 'pause', reason: 'busy', ...fault, ...wait };
  }
  // Telegram says 404 of a token that cannot be one.
  if (code === 401 || code === 403 || code === 404) return { kind: 'pause', reason: 'refused', ...fault };
  if (code === 400 && ABOUT_CHAT.test(description)) return { kind: 'pause', reason: 'refused', ...fault };
  return { kind: code >= 500 ? 'retry' : 'dead', ...fault };
}

/** Whether it is Telegram that speaks: Telegraf takes any JSON for its answer. */
function isRefusal(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const { error_code: code, description }: { error_code?: unknown; description?: unknown } = response;
  return typeof code === 'number' && typeof description === 'string';
}

/** How a failed try is to be taken. The words of an error that is not Telegram's may hold the token and are not kept. */
export function telegramOutcome(failure: unknown): SendOutcome {
  if (failure instanceof TelegramError && isRefusal(failure.response)) {
    return answered(failure.code, failure.description, failure.parameters?.retry_after);
  }
  const code =
    failure instanceof Error && 'code' in failure && typeof failure.code === 'string'
      ? failure.code
      : 'fault';
  if (UNREACHABLE.has(code)) {
    return { kind: 'pause', reason: 'unreachable', code, error: 'Telegram cannot be reached.' };
  }
  const isAborted = failure instanceof Error && failure.name === 'AbortError';
  return {
    kind: 'unknown',
    code: isAborted ? 'ETIMEDOUT' : code,
    error: 'The connection ended before Telegram said whether it took the notice.',
  };
}
